import type { ShownMessage } from '@parley/client/messages/cache'
import { narrows, othersOf } from '@parley/client/narrow'
import type { Store } from '@parley/client/store'
import { topicKey } from '@parley/client/topics'
import { topicName } from '../channels/topic-name.ts'
import { isMatch } from '../compose/completion.ts'
import { organizationPages } from '../organization/pages.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import type { Command } from '../platform/keys.ts'
import { parseSearch } from '../search/parse.ts'
import { channelHash, narrowHash } from '../session/links.ts'
import { visiblePages } from '../settings/model.ts'
import { ownPages } from '../settings/pages.ts'
import type { IconName } from '../ui/icon.tsx'

/** Where an entry leads, or what it does. */
export type Entry = { label: string; detail: string; icon: IconName } & ({ hash: string } | { command: Command })

export interface Sources {
  store: Store
  viewerId: number
  /** Those that the client has: what was written in lately comes first. */
  messages: readonly ShownMessage[]
}

type Fixed = { label: PlainId; detail?: PlainId; icon: IconName } & ({ hash: string } | { command: Command })

const screens: Fixed[] = [
  { label: 'nav.inbox', detail: 'palette.inbox', icon: 'inbox', hash: '#inbox' },
  { label: 'nav.recent', detail: 'recent.title', icon: 'clock', hash: '#recent' },
  { label: 'nav.feed', icon: 'messages', hash: '#feed' },
  { label: 'nav.mentions', icon: 'at-sign', hash: '#narrow/is/mentioned' },
  { label: 'nav.starred', icon: 'star', hash: '#narrow/is/starred' },
  { label: 'nav.drafts', detail: 'palette.drafts', icon: 'pencil-line', hash: '#drafts' },
  { label: 'nav.scheduled', detail: 'palette.scheduled', icon: 'clock', hash: '#scheduled' },
  { label: 'nav.settings', icon: 'settings', hash: '#settings' },
]
const actions: Fixed[] = [
  { label: 'keys.newTopic', icon: 'pencil-line', command: 'newTopic' },
  { label: 'keys.newDirect', icon: 'message-circle', command: 'newDirect' },
  { label: 'keys.search', icon: 'search', command: 'search' },
  { label: 'keys.nextTopic', icon: 'chevron-right', command: 'nextTopic' },
  { label: 'keys.title', icon: 'list', command: 'help' },
]
const limit = 12

/** `#` finds only channels, `@` only people. */
export function findEntries(sources: Sources, query: string): Entry[] {
  const sign = /^[#@]/.exec(query)?.[0]
  const text = query.slice(sign?.length ?? 0).trim()
  const found = (entries: Entry[]) => entries.filter(({ label }) => isMatch(label, text))
  if (sign) return found(sign === '#' ? channels(sources) : people(sources)).slice(0, limit)
  if (text === '') return [...screens.map(translated), ...topics(sources)].slice(0, limit)
  const named = [...screens.map(translated), ...topics(sources), ...channels(sources), ...people(sources)]
  const others = [...pages(sources, text), ...found(actions.map(translated))]
  const shown = [...found(named).slice(0, limit - Math.min(4, others.length)), ...others].slice(0, limit)
  const hash = narrowHash(parseSearch(text, sources.store), sources.store)
  return [...shown, { label: t('palette.search', { text }), detail: '', icon: 'search', hash }]
}

function translated({ label, detail, ...rest }: Fixed): Entry {
  return { ...rest, label: t(label), detail: detail ? t(detail) : '' }
}

/** The id of the newest message by what it is about. */
function newestBy<Key>(messages: readonly ShownMessage[], keysOf: (message: ShownMessage) => Key[]): Map<Key, number> {
  const newest = new Map<Key, number>()
  for (const message of messages)
    for (const key of keysOf(message)) newest.set(key, Math.max(message.id, newest.get(key) ?? 0))
  return newest
}

function byRecency<One, Key>(list: One[], newest: ReadonlyMap<Key, number>, keyOf: (one: One) => Key): One[] {
  return list.sort((a, b) => (newest.get(keyOf(b)) ?? 0) - (newest.get(keyOf(a)) ?? 0))
}

function topics({ store, messages }: Sources): Entry[] {
  const latest = new Map<string, ShownMessage>()
  for (const message of messages.filter(({ type }) => type === 'stream')) {
    const key = topicKey(message.stream_id!, message.subject)
    if (message.id > (latest.get(key)?.id ?? 0)) latest.set(key, message)
  }
  return [...latest.values()]
    .sort((a, b) => b.id - a.id)
    .map(({ stream_id, subject, display_recipient }) => ({
      ...{ label: topicName(subject), detail: t('palette.topic', { channel: String(display_recipient) }) },
      ...{ icon: 'messages' as const, hash: narrowHash(narrows.topic(stream_id!, subject), store) },
    }))
}

function channels({ store, messages }: Sources): Entry[] {
  const all = [...store.channels.subscribed.values(), ...store.channels.neverSubscribed.values()]
  const newest = newestBy(messages, ({ stream_id }) => (stream_id === undefined ? [] : [stream_id]))
  return byRecency(all, newest, ({ stream_id }) => stream_id).map(({ name, description, invite_only, stream_id }) => ({
    ...{ label: name, detail: description },
    ...{ icon: invite_only ? ('lock' as const) : ('hash' as const), hash: channelHash(stream_id, store) },
  }))
}

function people({ store, messages, viewerId }: Sources): Entry[] {
  const active = [...store.users.byId.values()].filter(({ is_active }) => is_active)
  const newest = newestBy(messages, (message) => (message.type === 'private' ? othersOf(message, viewerId) : []))
  return byRecency(active, newest, ({ user_id }) => user_id).map(({ full_name, email, user_id }) => ({
    ...{ label: full_name, detail: email },
    ...{ icon: 'circle-user-round' as const, hash: narrowHash(narrows.direct([user_id]), store) },
  }))
}

function pages({ store, viewerId }: Sources, text: string): Entry[] {
  const role = store.users.byId.get(viewerId)?.role ?? Infinity
  return visiblePages([...ownPages, ...organizationPages], role, text).map(({ hash, title, icon }) => ({
    ...{ hash, icon, label: t(title), detail: t('nav.settings') },
  }))
}
