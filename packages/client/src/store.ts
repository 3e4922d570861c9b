import type { GroupSettingValue } from '@parley/api/common'
import type { QueueEvent } from '@parley/api/events'
import { lookup } from '@parley/api/lookup'
import { Account } from './account.ts'
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
import { Preferences } from './preferences.ts'
import { Presence } from './presence.ts'
import { Realm } from './realm.ts'
import { ScheduledMessages } from './scheduled.ts'
import { Server } from './server.ts'
import { Snippets } from './snippets.ts'
import { Starred } from './starred.ts'
import type { Slice, State } from './state.ts'
import { Statuses } from './statuses.ts'
import { Topics } from './topics.ts'
import { Typing } from './typing.ts'
import { Unread } from './unread.ts'
import { Users } from './users.ts'

const kept: Set<string> = new Set(
  [
    Server,
    Users,
    Account,
    Preferences,
    MutedUsers,
    AlertWords,
    Statuses,
    Domains,
    Groups,
    Channels,
    DefaultChannels,
    Folders,
    Conversations,
    Unread,
    Starred,
    Presence,
    Topics,
    Snippets,
    Drafts,
    ScheduledMessages,
    Bots,
    Emoji,
  ].flatMap(({ fields }) => [...fields]),
)

/** What the viewer may see of the organization: a registration's answer, and the events since. */
export class Store {
  readonly server: Server
  readonly users: Users
  readonly account: Account
  readonly preferences: Preferences
  readonly mutedUsers: MutedUsers
  readonly alertWords: AlertWords
  readonly statuses: Statuses
  readonly domains: Domains
  readonly realm: Realm
  readonly organization: Organization
  readonly groups: Groups
  readonly channels: Channels
  readonly defaultChannels: DefaultChannels
  readonly folders: Folders
  readonly conversations: Conversations
  readonly topics: Topics
  readonly unread: Unread
  readonly starred: Starred
  readonly presence: Presence
  readonly snippets: Snippets
  readonly drafts: Drafts
  readonly scheduled: ScheduledMessages
  readonly bots: Bots
  readonly emoji: Emoji
  readonly typing: Typing
  /** Everything else in the registration's answer: limits, settings, the viewer's own account. */
  readonly settings: Record<string, unknown>
  readonly #slices: Slice[]

  /** `answer` is what `register` returned. */
  constructor(answer: object) {
    const state = answer as State
    this.server = new Server(state)
    this.users = new Users(state)
    this.groups = new Groups(state)
    this.realm = new Realm(state, this.groups)
    this.organization = new Organization(state)
    this.preferences = new Preferences(state)
    this.mutedUsers = new MutedUsers(state)
    this.alertWords = new AlertWords(state)
    this.statuses = new Statuses(state)
    this.domains = new Domains(state)
    this.account = new Account(
      state,
      this.groups,
      (name) => lookup(this.realm.settings, name) as GroupSettingValue | undefined,
    )
    this.channels = new Channels(state)
    this.defaultChannels = new DefaultChannels(state)
    this.folders = new Folders(state)
    this.conversations = new Conversations(state)
    this.topics = new Topics(state, this.channels)
    this.unread = new Unread(state, this.channels, this.topics)
    this.starred = new Starred(state, this.channels)
    this.presence = new Presence(state)
    this.snippets = new Snippets(state)
    this.drafts = new Drafts(state)
    this.scheduled = new ScheduledMessages(state)
    this.bots = new Bots(state)
    this.emoji = new Emoji(state)
    this.typing = new Typing(state)
    this.settings = Object.fromEntries(Object.entries(state).filter(([field]) => !kept.has(field)))
    this.#slices = [
      this.server,
      this.users,
      this.account,
      this.preferences,
      this.mutedUsers,
      this.alertWords,
      this.statuses,
      this.domains,
      this.topics,
      this.realm,
      this.organization,
      this.groups,
      // Forgets a channel's unread messages before the channel itself goes.
      this.unread,
      this.channels,
      this.defaultChannels,
      this.folders,
      this.conversations,
      this.starred,
      this.presence,
      this.snippets,
      this.drafts,
      this.scheduled,
      this.bots,
      this.emoji,
    ]
  }

  /** Brings the store up to date with one event. Events nobody knows are ignored. */
  apply(event: QueueEvent): void {
    for (const slice of this.#slices) slice.apply(event)
    this.typing.apply(event)
  }

  /** The state as a new registration for everything would give it. */
  snapshot(): State {
    return Object.assign({}, this.settings, ...this.#slices.map((slice) => slice.snapshot()))
  }
}
