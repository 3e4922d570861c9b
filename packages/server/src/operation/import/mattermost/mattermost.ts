import { emojiName } from '../emoji-names.ts'
import type { Source } from '../source.ts'
import { lost, readExport } from './export-lines.ts'
import { toMarkup } from './markup.ts'

/** Mattermost's bulk export, version 1: made by `mmctl export create` or `mattermost export bulk`. */
export const mattermost: Source = { main: 'import.jsonl', read: readExport, toMarkup, emojiName, lost }
