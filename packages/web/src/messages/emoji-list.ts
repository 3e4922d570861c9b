import type { Store } from '@parley/client/store/store'
import { glyphOf } from '@parley/markdown/glyph'
import { quickEmoji } from '../platform/emoji.ts'

/** An emoji that can be written or used as a reaction. */
export interface EmojiEntry {
  emoji_name: string
  emoji_code: string
  reaction_type: 'unicode_emoji' | 'realm_emoji'
  /** The character; custom emoji have an image instead. */
  glyph?: string
  url?: string
}

let loaded: Promise<Record<string, string[]>> | undefined

/** The names of the standard emoji, from our own server whatever name it is reached by. Loaded once. */
export function loadEmojiNames(url: string): Promise<Record<string, string[]>> {
  loaded ??= fetch(new URL(url, window.location.href).pathname)
    .then((response) => response.json())
    .then(({ code_to_names }) => code_to_names)
  loaded.catch(() => (loaded = undefined)) // the next use tries again
  return loaded
}

/** The standard emoji under each of their names. */
export async function loadStandardEmoji(url: string): Promise<EmojiEntry[]> {
  return standardEntries(await loadEmojiNames(url))
}

export function standardEntries(namesByCode: Record<string, string[]>): EmojiEntry[] {
  return Object.entries(namesByCode).flatMap(([emoji_code, names]) =>
    names.map((emoji_name) => ({
      emoji_name,
      emoji_code,
      reaction_type: 'unicode_emoji' as const,
      glyph: glyphOf(emoji_code),
    })),
  )
}

/** The organization's own emoji come first and hide standard ones of the same name. */
export function allEmoji(standard: readonly EmojiEntry[], { emoji }: Pick<Store, 'emoji'>): EmojiEntry[] {
  const custom = Object.values(emoji.byId)
    .filter(({ deactivated }) => !deactivated)
    .map(({ id, name, source_url }) => ({
      emoji_name: name,
      emoji_code: id,
      reaction_type: 'realm_emoji' as const,
      url: source_url,
    }))
  const names = new Set(custom.map(({ emoji_name }) => emoji_name))
  return [...custom, ...standard.filter(({ emoji_name }) => !names.has(emoji_name))]
}

const popular = new Map<string, number>(quickEmoji.map(({ emoji_code }, index) => [emoji_code, index - 10]))

/** Exact names first, then beginnings of names, popular ones before others, then beginnings of later words. */
export function findEmoji(entries: readonly EmojiEntry[], query: string, limit: number): EmojiEntry[] {
  const text = query.trim().toLowerCase().replace(/[ -]/g, '_')
  const ranked = entries
    .map((entry) => ({ entry, rank: rankOf(entry, text) }))
    .filter(({ rank }) => rank < Infinity)
    .sort((a, b) => a.rank - b.rank)
  const found = new Map<string, EmojiEntry>()
  for (const { entry } of ranked) {
    const key = `${entry.reaction_type} ${entry.emoji_code}`
    if (!found.has(key)) found.set(key, entry)
  }
  return [...found.values()].slice(0, limit)
}

function rankOf({ emoji_name: name, emoji_code }: EmojiEntry, text: string): number {
  const liked = (popular.get(emoji_code) ?? 0) / 100
  if (name === text) return 0
  if (name.startsWith(text)) return 1 + liked
  if (name.includes(`_${text}`)) return 2 + liked
  return name.includes(text) ? 3 + liked : Infinity
}
