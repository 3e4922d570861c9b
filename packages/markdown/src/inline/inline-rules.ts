import { inlineMath } from '../blocks/math.ts'
import { audio } from '../media/audio.ts'
import { channelLinks, messageLinks, topicLinkRule } from '../references/channel-links.ts'
import { linkifiers } from '../references/linkifiers.ts'
import { groupMentions, userMentions } from '../references/mentions.ts'
import { autolinks } from './autolinks.ts'
import { codeSpans } from './code-spans.ts'
import { emojiCharacters, emojiNames, emoticons } from './emoji-rules.ts'
import { emphasis, strikethrough, strong, strongEmphasis } from './emphasis.ts'
import type { InlineRule } from './inline.ts'
import { namedLinks } from './named-links.ts'
import { times } from './times.ts'

/** All kinds of inline markup, by precedence. */
export const inlineRules: readonly InlineRule[] = [
  { key: '`', apply: codeSpans },
  { key: '***', apply: strongEmphasis },
  { key: '@', apply: userMentions },
  { key: '$$', apply: inlineMath },
  { key: '#**', apply: messageLinks },
  { key: '#**', apply: topicLinkRule },
  { key: '#**', apply: channelLinks },
  { key: '<time:', apply: times },
  { key: '@', apply: groupMentions },
  { key: '](', apply: namedLinks },
  { key: '](', apply: audio },
  { key: '', apply: autolinks },
  { key: '', apply: linkifiers },
  { key: '**', apply: strong },
  { key: '*', apply: emphasis },
  { key: '~~', apply: strikethrough },
  { key: ':', apply: emojiNames },
  { key: '', apply: emoticons },
  { key: '\n', apply: (text, inline) => text.replaceAll('\n', inline.keep('<br>\n', '\n')) },
  { key: '', apply: emojiCharacters },
]
