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
import type { State } from './state.ts'
import { Statuses } from './statuses.ts'
import { Topics } from './topics.ts'
import { Typing } from './typing.ts'
import { Unread } from './unread.ts'
import { Users } from './users.ts'

/** All slices, in the order in which they apply an event. */
function createSlices(state: State) {
  const groups = new Groups(state)
  const realm = new Realm(state, groups)
  const channels = new Channels(state)
  const topics = new Topics(state, channels)
  const permission = (name: string) => lookup(realm.settings, name) as GroupSettingValue | undefined
  return {
    server: new Server(state),
    users: new Users(state),
    account: new Account(state, groups, permission),
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
    bots: new Bots(state),
    emoji: new Emoji(state),
    typing: new Typing(state),
  }
}

export type Store = ReturnType<typeof createStore>

/** The state that a `register` response contains, kept up to date by applying events. */
export function createStore(response: object) {
  const state = response as State
  const slices = createSlices(state)
  const list = Object.values(slices)
  const kept = new Set<string>(list.flatMap(({ fields }) => [...fields]))
  return {
    ...slices,
    /** Everything else in the response, such as limits. */
    settings: Object.fromEntries(Object.entries(state).filter(([field]) => !kept.has(field))),

    /** Applies one event. Events of unknown types are ignored. */
    apply(event: QueueEvent): void {
      for (const slice of list) slice.apply(event)
    },

    /** The state as a new `register` response would contain it. */
    snapshot(): State {
      return Object.assign({}, this.settings, ...list.map((slice) => slice.snapshot()))
    },
  }
}
