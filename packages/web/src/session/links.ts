import { type Narrow, type NarrowTerm, usersIn } from '@parley/client/messages/narrow'
import type { Slices } from '@parley/client/store/store'

/** Zulip's encoding for text in hashes: like a URL, with dots for percent signs. */
export function encodeHash(text: string): string {
  return encodeURIComponent(text)
    .replace(/\./g, '%2E')
    .replace(/%/g, '.')
    .replace(/[()]/g, (one) => (one === '(' ? '.28' : '.29'))
}

export function decodeHash(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\.(?=[0-9A-Fa-f]{2})/g, '%'))
  } catch {
    return text
  }
}

/** The hash that shows a narrow. Ids are followed by a readable name, which is ignored when it is read. */
export function narrowHash(narrow: Narrow, store: Slices<'channels'>, near?: number): string {
  const parts = narrow.flatMap(({ operator, operand, negated }) => [
    `${negated ? '-' : ''}${operator}`,
    operandHash(operator, operand, store),
  ])
  return ['#narrow', ...parts, ...(near === undefined ? [] : ['near', String(near)])].join('/')
}

function operandHash(operator: string, operand: NarrowTerm['operand'], store: Slices<'channels'>): string {
  if (operator === 'channel') {
    const name =
      store.channels.subscribed.get(Number(operand))?.name ??
      store.channels.neverSubscribed.get(Number(operand))?.name ??
      ''
    return `${operand}-${encodeHash(name.replace(/ /g, '-'))}`
  }
  if (operator === 'dm') return `${usersIn(operand).join(',')}-dm`
  return encodeHash(String(operand))
}

/** The list of topics of a channel. */
export function topicsHash(channelId: number, store: Slices<'channels'>): string {
  return `#topics/channel/${operandHash('channel', channelId, store)}`
}

/** The channel whose topics a hash lists. */
export function parseTopics(hash: string): number | undefined {
  const id = /^#topics\/channel\/(\d+)/.exec(hash)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** The list of files of a channel. */
export function filesHash(channelId: number, store: Slices<'channels'>): string {
  return `#files/channel/${operandHash('channel', channelId, store)}`
}

/** The channel whose files a hash lists. */
export function parseFiles(hash: string): number | undefined {
  const id = /^#files\/channel\/(\d+)/.exec(hash)?.[1]
  return id === undefined ? undefined : Number(id)
}

const feedView = 2

/** What the viewer chose to see first of a channel. */
export function channelHash(channelId: number, store: Slices<'channels' | 'preferences'>): string {
  return store.preferences.get('web_channel_default_view') === feedView
    ? narrowHash([{ operator: 'channel', operand: channelId }], store)
    : topicsHash(channelId, store)
}

/** Older words for the same operators, as links of other clients use them. */
const currentWords = new Map([
  ['stream', 'channel'],
  ['subject', 'topic'],
  ['pm-with', 'dm'],
  ['from', 'sender'],
])

export interface ParsedNarrow {
  narrow: Narrow
  near: number | undefined
}

/** Reads a narrow from a hash. Undefined if it is not one. */
export function parseNarrow(hash: string): ParsedNarrow | undefined {
  const [start, ...parts] = hash.split('/')
  if (start !== '#narrow') return undefined
  const narrow: NarrowTerm[] = []
  let near: number | undefined
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const word = parts[index]!
    const negated = word.startsWith('-')
    const operator = currentWords.get(word.replace(/^-/, '')) ?? word.replace(/^-/, '')
    const text = parts[index + 1]!
    if (operator === 'near' || operator === 'with') near = Number.parseInt(text, 10) || undefined
    else narrow.push({ operator, operand: operandOf(operator, text), ...(negated && { negated }) })
  }
  return { narrow, near }
}

/** The narrow whose messages or topics a hash shows. */
export function shownNarrow(hash: string): Narrow | undefined {
  if (hash === '#feed') return []
  const channelId = parseTopics(hash) ?? parseFiles(hash)
  return channelId === undefined ? parseNarrow(hash)?.narrow : [{ operator: 'channel', operand: channelId }]
}

function operandOf(operator: string, text: string): NarrowTerm['operand'] {
  if (operator === 'channel') {
    const id = /^\d+/.exec(text)?.[0]
    return id === undefined ? decodeHash(text) : Number(id)
  }
  if (operator === 'dm') return (text.match(/^[\d,]+/)?.[0] ?? '').split(',').filter(Boolean).map(Number)
  const id = aboutUser.has(operator) ? /^\d+(?=-|$)/.exec(text)?.[0] : undefined
  return id === undefined ? decodeHash(text) : Number(id)
}

/** Operators that name a user. */
const aboutUser = new Set(['sender', 'dm-including'])

/** Screens under the names that Zulip had for them, which bookmarks and bots still use. */
const formerHashes = new Map([
  ['#all_messages', '#feed'],
  ['#recent_topics', '#recent'],
  ['#starred', '#narrow/is/starred'],
  ['#mentions', '#narrow/is/mentioned'],
  ['#settings/', '#settings'],
  ['#settings/your-account', '#settings/profile'],
  ['#settings/account-and-privacy', '#settings/account'],
  ['#settings/display-settings', '#settings/appearance'],
  ['#settings/preferences', '#settings/appearance'],
  ['#settings/your-bots', '#settings/bots'],
  ['#settings/topics', '#settings/muted'],
  ['#settings/muted-users', '#settings/muted'],
])

/**
 * The hash that this client uses for the same screen. Old links name channels without their ids, and links that others
 * copied name the viewer among the users of a direct conversation.
 */
export function canonicalHash(hash: string, store: Slices<'channels'>, viewerId: number): string {
  const parsed = parseNarrow(hash)
  if (!parsed)
    return (
      formerHashes.get(hash) ??
      hash.replace(/^#streams(?=\/|$)/, '#channels').replace(/^#user\/(\d+)(\/.*)?$/, '#narrow/dm/$1-dm')
    )
  const narrow = parsed.narrow.map((term) => canonicalTerm(term, store, viewerId))
  const isSame = narrow.every((term, index) => term === parsed.narrow[index])
  return isSame ? hash : narrowHash(narrow, store, parsed.near)
}

function canonicalTerm(term: NarrowTerm, { channels }: Slices<'channels'>, viewerId: number): NarrowTerm {
  const { operator, operand } = term
  if (operator === 'channel' && typeof operand === 'string') {
    const all = [...channels.subscribed.values(), ...channels.neverSubscribed.values(), ...channels.left.values()]
    const isNamed = ({ name }: { name: string }) => name === operand || name.replace(/ /g, '-') === operand
    const id = all.find(isNamed)?.stream_id
    return id === undefined ? term : { ...term, operand: id }
  }
  if (operator === 'dm' && Array.isArray(operand) && operand.length > 1 && operand.includes(viewerId))
    return { ...term, operand: operand.filter((id) => id !== viewerId) }
  return term
}
