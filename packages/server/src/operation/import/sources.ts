import type { Program } from './importable.ts'
import { mattermost } from './mattermost/mattermost.ts'
import { parleyRows } from './parley/parley.ts'
import { recordProgram } from './records/record-program.ts'
import { rowProgram } from './rows/row-program.ts'
import { zulipRows } from './zulip/zulip.ts'

export const sources = {
  mattermost: recordProgram(mattermost),
  parley: rowProgram(parleyRows),
  zulip: rowProgram(zulipRows),
} satisfies Record<string, Program>
