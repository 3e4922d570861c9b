import type { ShownMessage } from '@parley/client/messages/cache'
import { matches, type Narrow, type NarrowTerm } from '@parley/client/messages/narrow'
import type { Slices } from '@parley/client/store/store'
import { isMatch } from '../compose/completion/completion.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import { plainText } from '../rendered/plain-text.ts'
import { parseSearch } from './parse.ts'

/** Operators whose operand is one of the store's objects, and the name of that object. */
const named = new Set(['channel', 'sender', 'dm'])

/** Moves the operators that are complete, which means followed by a space, from the text to the terms. */
export function takeTerms(text: string, store: Slices<'channels' | 'users'>): { terms: NarrowTerm[]; text: string } {
  const end = /^(?:[^"]|"[^"]*")*\s/.exec(text)?.[0].length ?? 0
  const terms: NarrowTerm[] = []
  const rest = text.slice(0, end).replace(/(^|\s)(-?\w+:(?:"[^"]+"|[^\s"]+))(?=\s)/g, (piece, _, term) => {
    const [found] = parseSearch(term, store)
    const isKnown = found && found.operator !== 'search' && !(named.has(found.operator) && isText(found.operand))
    if (!isKnown) return piece
    terms.push(found)
    return ''
  })
  return { terms, text: terms.length > 0 ? (rest + text.slice(end)).trimStart() : text }
}

function isText(operand: NarrowTerm['operand']): boolean {
  return typeof operand === 'string'
}

/** A search for words under conditions, without an operator that is still being typed. */
export function narrowOf(terms: Narrow, text: string): Narrow {
  const words = text.replace(/(?:^|\s)-?(?:channel|topic|sender|dm|has|is):\S*$/, '').trim()
  return words === '' ? terms : [...terms, { operator: 'search', operand: words }]
}

export interface Suggestion {
  label: string
  detail: string
  /** The text of the field afterwards, and the chip that is added. */
  text: string
  term?: NarrowTerm
}

const operators: [name: string, detail: PlainId][] = [
  ['channel', 'search.channel'],
  ['topic', 'search.topic'],
  ['sender', 'search.sender'],
  ['dm', 'search.dm'],
  ['has', 'search.has'],
  ['is', 'search.is'],
]
const fixed = new Map<string, readonly (readonly [value: string, detail: PlainId])[]>([
  [
    'has',
    [
      ['link', 'search.has.link'],
      ['attachment', 'search.has.attachment'],
      ['image', 'search.has.image'],
      ['reaction', 'search.has.reaction'],
    ],
  ],
  [
    'is',
    [
      ['unread', 'search.is.unread'],
      ['mentioned', 'search.is.mentioned'],
      ['starred', 'search.is.starred'],
      ['dm', 'search.is.dm'],
      ['followed', 'search.is.followed'],
      ['resolved', 'search.is.resolved'],
    ],
  ],
])
const most = 6

/** What could complete the operator that is being typed. `topics`: those that the client knows, the newest first. */
export function suggestTerms(
  text: string,
  store: Slices<'channels' | 'users'>,
  topics: readonly string[],
): Suggestion[] {
  const typed = /(?:^|\s)(-?)(\w+):"?([^":]*)$/.exec(text)
  if (!typed) return suggestOperators(text)
  const [whole, minus, operator, operand] = typed as unknown as [string, string, string, string]
  const rest = text.slice(0, text.length - whole.length)
  return operandsOf(operator, store, topics)
    .filter(({ label }) => isMatch(label, operand))
    .slice(0, most)
    .map(({ label, detail, value }) => ({
      label: `${minus}${operator}: ${label}`,
      detail,
      text: rest,
      term: { operator, operand: value, ...(minus !== '' && { negated: true }) },
    }))
}

function suggestOperators(text: string): Suggestion[] {
  const word = text.split(/[\s"-]/).at(-1)!
  if (word === '' && text !== '') return []
  return operators
    .filter(([name]) => name.startsWith(word.toLowerCase()))
    .map(([name, detail]) => ({
      label: `${name}:`,
      detail: t(detail),
      text: `${text.slice(0, text.length - word.length)}${name}:`,
    }))
}

interface Operand {
  label: string
  detail: string
  value: NarrowTerm['operand']
}

function operandsOf(operator: string, store: Slices<'channels' | 'users'>, topics: readonly string[]): Operand[] {
  const { channels, users } = store
  if (operator === 'channel')
    return [...channels.subscribed.values(), ...channels.neverSubscribed.values()].map(
      ({ name, description, stream_id }) => ({ label: name, detail: description, value: stream_id }),
    )
  if (operator === 'sender' || operator === 'dm')
    return [...users.byId.values()].map(({ full_name, email, user_id }) => ({
      label: full_name,
      detail: email,
      value: operator === 'dm' ? [user_id] : user_id,
    }))
  if (operator === 'topic')
    return topics.map((topic) => ({ label: topic || t('topic.general'), detail: '', value: topic }))
  return (fixed.get(operator) ?? []).map(([value, detail]) => ({ label: value, detail: t(detail), value }))
}

/** The topics of messages that the client has, the newest first; those of a channel if the search names one. */
export function knownTopics(messages: Iterable<ShownMessage>, terms: Narrow): string[] {
  const channel = terms.find(({ operator, negated }) => operator === 'channel' && !negated)?.operand
  const inChannels = [...messages].filter(
    (one) => one.type === 'stream' && (channel === undefined || one.stream_id === channel),
  )
  return [...new Set(inChannels.sort((a, b) => b.id - a.id).map(({ subject }) => subject))]
}

/** Messages that the client has and that certainly match, the newest first. They are shown while the server searches. */
export function localMatches(
  messages: Iterable<ShownMessage>,
  terms: Narrow,
  text: string,
  viewerId: number,
): ShownMessage[] {
  const words = wordsOf(text)
  const contains = (message: ShownMessage) => {
    const content = `${plainText(message.content, 10_000)} ${message.subject}`.toLowerCase()
    return words.every((word) => content.includes(word))
  }
  return [...messages]
    .filter((message) => !message.local_id && matches(terms, message, viewerId) === true && contains(message))
    .sort((a, b) => b.id - a.id)
    .slice(0, 20)
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().replaceAll('"', ' ').split(/\s+/).filter(Boolean)
}

export interface Piece {
  text: string
  isFound: boolean
}

const before = 40
const shown = 160

/** The part of a text around the first word that was found, in pieces. */
export function excerpt(content: string, words: readonly string[]): Piece[] {
  const folded = content.toLowerCase()
  const places = words.map((word) => folded.indexOf(word)).filter((place) => place >= 0)
  const start = Math.max(0, Math.min(...places, content.length) - before)
  const from = places.length === 0 || start === 0 ? 0 : content.indexOf(' ', start) + 1
  const part = `${from > 0 ? '…' : ''}${content.slice(from, from + shown)}`
  const found = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  if (found.length === 0) return [{ text: part, isFound: false }]
  return part.split(new RegExp(`(${found.join('|')})`, 'i')).map((text, index) => ({ text, isFound: index % 2 === 1 }))
}
