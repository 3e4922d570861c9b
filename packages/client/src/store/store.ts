import type { QueueEvent } from '@parley/api/events'
import { Account, Viewer } from './account.ts'
import { AlertWords } from './alert-words.ts'
import { Bots } from './bots.ts'
import { Channels } from './channels.ts'
import { Conversations } from './conversations.ts'
import { DefaultChannels } from './default-channels.ts'
import { Domains } from './domains.ts'
import { Drafts } from './drafts.ts'
import { Emoji } from './emoji.ts'
import { Folders } from './folders.ts'
import { Groups } from './groups.ts'
import { MutedUsers } from './muted-users.ts'
import { Organization } from './organization.ts'
import { Ephemeral } from './passing/ephemeral.ts'
import { Typing } from './passing/typing.ts'
import { Preferences } from './preferences.ts'
import { Presence } from './presence.ts'
import { Realm } from './realm.ts'
import { Reminders, ScheduledMessages } from './scheduled.ts'
import { Maintenance, Server } from './server.ts'
import { Snippets } from './snippets.ts'
import { Starred } from './starred.ts'
import type { Slice, State } from './state.ts'
import { Statuses } from './statuses.ts'
import { Topics } from './topics.ts'
import { Unread } from './unread.ts'
import { Users } from './users.ts'

/** What decides what the viewer may do. */
function createViewed(state: State) {
  const groups = new Groups(state)
  return { users: new Users(state), groups, realm: new Realm(state, groups) }
}
type Viewed = ReturnType<typeof createViewed>

/** All slices, in the order in which they apply an event. */
function createSlices(state: State, { users, groups, realm }: Viewed, viewer: Viewer) {
  const channels = new Channels(state)
  const topics = new Topics(state, channels)
  return {
    server: new Server(state),
    maintenance: new Maintenance(state),
    users,
    account: new Account(state, viewer),
    preferences: new Preferences(state),
    mutedUsers: new MutedUsers(state),
    alertWords: new AlertWords(state),
    statuses: new Statuses(state),
    domains: new Domains(state),
    topics,
    realm,
    organization: new Organization(state),
    groups,
    // Before channels: it needs a deleted channel to delete its unread messages.
    unread: new Unread(state, channels, topics),
    channels,
    defaultChannels: new DefaultChannels(state),
    folders: new Folders(state),
    conversations: new Conversations(state),
    starred: new Starred(state, channels),
    presence: new Presence(state),
    snippets: new Snippets(state),
    drafts: new Drafts(state),
    scheduled: new ScheduledMessages(state),
    reminders: new Reminders(state),
    bots: new Bots(state),
    emoji: new Emoji(state),
    typing: new Typing(state),
    ephemeral: new Ephemeral(),
  }
}

export type Store = ReturnType<typeof createStore>
type Stateful = keyof ReturnType<typeof createSlices>
export type SliceName = Stateful | 'viewer'
/** Some slices of the store, and what never changes. */
export type Slices<Name extends SliceName = never> = Pick<Store, Name | 'settings'>

/** How often each slice may have changed, so that readers can see whether they are up to date. */
class Versions {
  readonly #counts = new Map<string, number>()
  readonly #readers: Map<string, string[]>

  constructor(slices: Record<string, Pick<Slice, 'events'>>) {
    const pairs = Object.entries(slices).flatMap(([name, { events }]) => events.map((type) => ({ name, type })))
    const byType = Map.groupBy(pairs, ({ type }) => type)
    this.#readers = new Map([...byType].map(([type, all]) => [type, all.map(({ name }) => name)]))
  }

  applied(type: QueueEvent['type']): void {
    for (const name of this.#readers.get(type) ?? []) this.touch(name)
  }

  touch(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  of(names: readonly string[]): number {
    return names.reduce((sum, name) => sum + (this.#counts.get(name) ?? 0), 0)
  }
}

/** The state that a `register` response contains, kept up to date by applying events. */
export function createStore(response: object) {
  const state = response as State
  const viewed = createViewed(state)
  const viewer = new Viewer(state.user_id ?? -1, viewed.users, viewed.groups, viewed.realm)
  const slices = createSlices(state, viewed, viewer)
  const list = Object.values(slices)
  const kept = new Set<string>(list.flatMap(({ fields }) => [...fields]))
  const versions = new Versions({ ...slices, viewer })
  const settings: State = Object.fromEntries(Object.entries(state).filter(([field]) => !kept.has(field)))
  return {
    ...slices,
    viewer,
    /** Everything else in the response, such as limits. */
    settings,

    /** Applies one event. Events of unknown types are ignored. */
    apply(event: QueueEvent): void {
      for (const slice of list) slice.apply(event)
      versions.applied(event.type)
    },

    sliceNames: Object.keys(slices) as Stateful[],

    /** Grows when one of the slices may have changed. */
    versionOf: (names: readonly SliceName[]) => versions.of(names),

    /** Says that a slice was changed without an event. */
    touch: (name: SliceName) => versions.touch(name),

    /** The state as a new `register` response would contain it. */
    snapshot(): State {
      return Object.assign({}, this.settings, ...list.map((slice) => slice.snapshot()))
    },
  }
}
