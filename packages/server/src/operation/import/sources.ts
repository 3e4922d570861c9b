import { mattermost } from './mattermost/mattermost.ts'
import type { Source } from './source.ts'

export const sources = { mattermost } satisfies Record<string, Source>
