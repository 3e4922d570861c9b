import type { RealmGroupSetting } from '@parley/api/permission-settings'
import { mayInRealm } from '@parley/api/permissions'
import type { ShownMessage } from '@parley/client/messages/cache'
import { narrows, othersOf, topicOf } from '@parley/client/messages/narrow'
import type { Session } from '@parley/client/session/session'
import type { Store } from '@parley/client/store/store'
import { topicKey } from '@parley/client/store/topics'
import { topicName } from '../channels/topic-name.ts'
import { isMatch } from '../compose/completion/completion.ts'
import { organizationPages } from '../organization/pages.ts'
import { otherTheme, switchTheme } from '../people/own-actions.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import type { Command } from '../platform/keys.ts'
import { parseSearch } from '../search/parse.ts'
import { channelHash, narrowHash, parseNarrow, shownNarrow } from '../session/links.ts'
import { signOut } from '../session/sign-out.ts'
import { visiblePages } from '../settings/model.ts'
import { ownPages } from '../settings/pages.ts'
import { isResolved, markTopicRead, toggleMuted, toggleResolved } from '../topics/actions.ts'
import type { IconName } from '../ui/icon.tsx'

/** Where an entry leads, or what it does. */
export type Entry = { label: string; detail: string; icon: IconName } & (
  | { hash: string }
  | { command: Command }
  | { run: (session: Session) => void }
)

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

/** What can be done here and now, by this user. */
function acts({ store }: Sources): Entry[] {
  const { viewer, realm } = store
  const may = (setting: RealmGroupSetting) => mayInRealm(viewer, realm, setting)
  const mayCreate = may('can_create_public_channel_group') || may('can_create_private_channel_group')
  const topic = topicOf(parseNarrow(window.location.hash)?.narrow ?? [])
  const detail = t('palette.action')
  const jump: Entry = { label: t('keys.jumpToDate'), detail, icon: 'calendar', command: 'jumpToDate' }
  const onTopic: Entry[] = topic
    ? [
        {
          label: isResolved(topic.topic) ? t('topic.reopen') : t('topic.resolve'),
          detail: topicName(topic.topic),
          icon: 'check',
          run: (session) => void toggleResolved(session, topic),
        },
        {
          label: store.topics.isMuted(topic.stream_id, topic.topic) ? t('people.unmute') : t('people.mute'),
          detail: topicName(topic.topic),
          icon: 'eye-off',
          run: (session) => toggleMuted(session, topic),
        },
        {
          label: t('topic.markRead'),
          detail: topicName(topic.topic),
          icon: 'check-check',
          run: (session) => markTopicRead(session, topic),
        },
      ]
    : []
  return [
    ...onTopic,
    ...(shownNarrow(window.location.hash) ? [jump] : []),
    { label: otherTheme(), detail, icon: 'sun-moon', run: switchTheme },
    { label: t('status.set'), detail, icon: 'face-slightly-smiling', hash: '#settings/profile' },
    ...(mayCreate ? [{ label: t('channel.new'), detail, icon: 'plus' as const, hash: '#channels/new' }] : []),
    { label: t('sidebar.browse'), detail, icon: 'hash', hash: '#channels' },
    ...(may('can_invite_users_group')
      ? [
          {
            label: t('invitations.invitePeople'),
            detail,
            icon: 'mail-plus' as const,
            hash: '#organization/invitations',
          },
        ]
      : []),
    { label: t('account.signOut'), detail, icon: 'log-out', run: (session) => void signOut(session) },
  ]
}

/** `#` finds only channels, `@` only people. */
export function findEntries(sources: Sources, query: string): Entry[] {
  const sign = /^[#@]/.exec(query)?.[0]
  const text = query.slice(sign?.length ?? 0).trim()
  const found = (entries: Entry[]) => entries.filter(({ label }) => isMatch(label, text))
  if (sign) return found(sign === '#' ? channels(sources) : people(sources)).slice(0, limit)
  if (text === '') return [...screens.map(translated), ...topics(sources)].slice(0, limit)
  const named = [...screens.map(translated), ...topics(sources), ...channels(sources), ...people(sources)]
  const others = [...found([...acts(sources), ...actions.map(translated)]), ...pages(sources, text)]
  const shown = [...found(named).slice(0, limit - Math.min(6, others.length)), ...others].slice(0, limit)
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
      label: topicName(subject),
      detail: t('palette.topic', { channel: String(display_recipient) }),
      icon: 'messages' as const,
      hash: narrowHash(narrows.topic(stream_id!, subject), store),
    }))
}

function channels({ store, messages }: Sources): Entry[] {
  const all = [...store.channels.subscribed.values(), ...store.channels.neverSubscribed.values()]
  const newest = newestBy(messages, ({ stream_id }) => (stream_id === undefined ? [] : [stream_id]))
  return byRecency(all, newest, ({ stream_id }) => stream_id).map(({ name, description, invite_only, stream_id }) => ({
    label: name,
    detail: description,
    icon: invite_only ? ('lock' as const) : ('hash' as const),
    hash: channelHash(stream_id, store),
  }))
}

function people({ store, messages, viewerId }: Sources): Entry[] {
  const active = [...store.users.byId.values()].filter(({ is_active }) => is_active)
  const newest = newestBy(messages, (message) => (message.type === 'private' ? othersOf(message, viewerId) : []))
  return byRecency(active, newest, ({ user_id }) => user_id).map(({ full_name, email, user_id }) => ({
    label: full_name,
    detail: email,
    icon: 'circle-user-round' as const,
    hash: narrowHash(narrows.direct([user_id]), store),
  }))
}

function pages({ store }: Sources, text: string): Entry[] {
  return visiblePages([...ownPages, ...organizationPages], store.viewer.role, text).map(({ hash, title, icon }) => ({
    hash,
    icon,
    label: t(title),
    detail: t('nav.settings'),
  }))
}
