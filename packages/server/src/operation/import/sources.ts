import type { Program } from './importable.ts'
import { mattermost } from './mattermost/mattermost.ts'
import { parleyRows } from './parley/parley.ts'
import { recordProgram } from './records/record-program.ts'
import { rowProgram } from './rows/row-program.ts'
import { slack } from './slack/slack.ts'
import { zulipRows } from './zulip/zulip.ts'

export const sources = {
  slack: recordProgram(slack),
  mattermost: recordProgram(mattermost),
  parley: rowProgram(parleyRows),
  zulip: rowProgram(zulipRows),
} satisfies Record<string, Program>
