import { emojiName } from '../emoji-names.ts'
import type { Counts, Source } from '../source.ts'
import { download } from './download.ts'
import { readExport } from './read-export.ts'
import { withNames } from './texts-of-slack.ts'

/** The zip file that Slack exports: standard, or corporate with private channels and direct messages. */
export const slack: Source = {
  main: 'channels.json',
  read: readExport,
  toMarkup: (text, _place, names) => withNames(text, names),
  emojiName: (name) => emojiName(name.replace(/::skin-tone-\d$/, '')),
  download,
  lost,
}

function lost(counts: Counts): string[] {
  const conversations = counts.conversations
    ? []
    : ['The file has no direct messages: only corporate exports have those and private channels.']
  return [
    ...conversations,
    'Slack leaves custom emoji, pictures of people and what everybody has read out of every export. Reactions with custom emoji have a stand-in image; everything is read.',
    'Links to messages (slack.com/archives/…) keep leading to Slack.',
  ]
}
