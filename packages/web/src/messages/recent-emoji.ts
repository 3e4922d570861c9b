import type { Session } from '@parley/client/session/session'
import { quickEmoji } from '../platform/emoji.ts'
import { accountIn } from '../session/account.ts'
import type { EmojiEntry } from './emoji-list.ts'

const mostRecent = 18
/** For shared computers, on which nothing may stay. */
const memory = new Map<string, string>()

/** What this user chose last, on this device. Deleted together with drafts. */
function nameOf({ viewerId }: Session, what: 'recent' | 'tone'): string {
  return `parley emoji ${viewerId} ${what}`
}

function read(name: string): string | undefined {
  return memory.get(name) ?? localStorage.getItem(name) ?? undefined
}

function write(name: string, text: string): void {
  if (accountIn(document.cookie) === undefined) memory.set(name, text)
  else localStorage.setItem(name, text)
}

function keyOf({ reaction_type, emoji_code }: Pick<EmojiEntry, 'reaction_type' | 'emoji_code'>): string {
  return `${reaction_type} ${emoji_code}`
}

function recentKeys(session: Session): string[] {
  const stored = read(nameOf(session, 'recent'))
  return stored === undefined ? quickEmoji.map(keyOf) : stored.split(',')
}

/** The emoji that were used last, the latest first; before that, what most people use. */
export function recentEmoji(session: Session, all: readonly EmojiEntry[]): EmojiEntry[] {
  return recentKeys(session)
    .map((key) => all.find((one) => keyOf(one) === key))
    .filter((one) => one !== undefined)
}

export function addRecentEmoji(session: Session, emoji: EmojiEntry): void {
  const key = keyOf(emoji)
  const others = recentKeys(session).filter((one) => one !== key)
  write(nameOf(session, 'recent'), [key, ...others].slice(0, mostRecent).join())
}

export function skinTone(session: Session): string {
  return read(nameOf(session, 'tone')) ?? ''
}

export function setSkinTone(session: Session, tone: string): void {
  write(nameOf(session, 'tone'), tone)
}
