import type { PlainId } from '../platform/i18n.ts'
import type { EmojiEntry } from './emoji-list.ts'

export interface EmojiGroup {
  /** Its first emoji, which also stands for it. */
  first: string
  label: PlainId
  emoji: EmojiEntry[]
}

/** The server lists them in this order. */
const groups: readonly [first: string, label: PlainId][] = [
  ['1f600', 'emoji.smileys'],
  ['1f44b', 'emoji.people'],
  ['1f435', 'emoji.animals'],
  ['1f347', 'emoji.food'],
  ['1f30d', 'emoji.travel'],
  ['1f383', 'emoji.activities'],
  ['1f453', 'emoji.objects'],
  ['1f3e7', 'emoji.symbols'],
  ['1f3c1', 'emoji.flags'],
]

/** Codes that are plain numbers lose their place, because keys of objects that are numbers come first. */
const numbers: readonly [first: string, codes: RegExp][] = [
  ['1f600', /^(2620|2639|276[34])$/],
  ['1f435', /^2618$/],
  ['1f347', /^2615$/],
  ['1f30d', /^(260[0-4]|2614|2668|2693|2708|2744)$/],
  ['1f383', /^(266[0356]|2728)$/],
  ['1f453', /^(2328|269[24679]|2702|2709|2712)$/],
  ['1f3e7', /^\d+$/],
]

/** The standard emoji by group, each under its first name. */
export function groupsOf(standard: readonly EmojiEntry[]): EmojiGroup[] {
  const found = groups.map(([first, label]): EmojiGroup => ({ first, label, emoji: [] }))
  const seen = new Set<string>()
  let current = groups[0]![0]
  // Faces come before what has lost its place.
  const isNumber = ({ emoji_code }: EmojiEntry) => /^\d+$/.test(emoji_code)
  for (const entry of [...standard.filter((one) => !isNumber(one)), ...standard.filter(isNumber)]) {
    const { emoji_code: code } = entry
    if (seen.has(code)) continue
    seen.add(code)
    if (groups.some(([first]) => first === code)) current = code
    const place = numbers.find(([, codes]) => codes.test(code))?.[0] ?? current
    found.find(({ first }) => first === place)!.emoji.push(entry)
  }
  return found
}
