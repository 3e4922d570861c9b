import { attributes } from '../html.ts'
import { codeOf, emojiCode, emojiName, extraEmoji, extraEmojiUrl } from './emoji.ts'
import type { Inline } from './inline.ts'

const emoticonNames = new Map<string, string>(
  Object.entries({
    ':)': 'slight_smile',
    '(:': 'slight_smile',
    ':(': 'frown',
    '<3': 'heart',
    ':|': 'neutral',
    ':/': 'confused',
    ';)': 'wink',
    ':D': 'smile',
    ':o': 'open_mouth',
    ':O': 'open_mouth',
    ':p': 'stuck_out_tongue',
    ':P': 'stuck_out_tongue',
  }),
)
const emoticon = /(?<![^,.;?!()[\] "'\n\t])(?::[)(|/DoOpP]|\(:|<3|;\))(?![^,.;?!()[\] "'\n\t])/g

// The shape of an emoji according to Unicode Technical Standard 51.
const one = '\\p{Emoji}(?:\\p{Emoji_Modifier}|\\uFE0F\\u20E3?|[\\u{E0020}-\\u{E007E}]+\\u{E007F})?'
const flag = '\\p{Regional_Indicator}{2}'
const emojiSequence = new RegExp(`${flag}|${one}(?:\\u200D(?:${flag}|${one}))*`, 'gu')
const textPresentation = /^\P{Emoji_Presentation}\u20E3?$/u

/** `:name:` */
export function emojiNames(text: string, inline: Inline): string {
  return text.replace(/:([\p{L}\p{N}_+-]+):/gu, (source, name: string) => {
    const url = pictureUrl(name, inline)
    if (url !== undefined) return inline.keep(pictureHtml(name, url), source)
    const code = emojiCode(name)
    // Unknown names stay text and are not parsed by other rules.
    return inline.keep(code === undefined ? source : emojiHtml(name, code), source)
  })
}

/** `:)` and similar, if the author enabled the translation. */
export function emoticons(text: string, inline: Inline): string {
  if (!inline.message.context.translateEmoticons) return text
  return text.replace(emoticon, (source) => {
    const name = emoticonNames.get(source) ?? ''
    return inline.keep(emojiHtml(name, emojiCode(name) ?? ''), source)
  })
}

/** Emoji written as characters. */
export function emojiCharacters(text: string, inline: Inline): string {
  if (!/\P{ASCII}/u.test(text)) return text
  return text.replace(emojiSequence, (source) => {
    // Arrows, digits and similar characters are text unless a variation selector requests the emoji.
    if (textPresentation.test(source)) return source
    const code = codeOf(source)
    const name = emojiName(code)
    return name === undefined ? source : inline.keep(emojiHtml(name, code), source)
  })
}

function pictureUrl(name: string, inline: Inline): string | undefined {
  const custom = inline.message.context.customEmoji?.find((candidate) => candidate.name === name)
  return custom?.source_url ?? (extraEmoji.has(name) ? extraEmojiUrl : undefined)
}

function emojiHtml(name: string, code: string): string {
  const title = name.replaceAll('_', ' ')
  return `<span${attributes({ 'aria-label': title, class: `emoji emoji-${code}`, role: 'img', title })}>:${name}:</span>`
}

function pictureHtml(name: string, src: string): string {
  return `<img${attributes({ alt: `:${name}:`, class: 'emoji', src, title: name.replaceAll('_', ' ') })}>`
}
