import type { registerParts, registerState } from '@parley/api/delivery/register'
import type { QueueEvent } from '@parley/api/events'
import type { Static, TObject } from 'typebox'

type Part<Name extends keyof typeof registerParts> = Static<TObject<(typeof registerParts)[Name]>>

/** The parts of the `register` response that events keep up to date. Each is present if it was requested. */
export type UserState = Pick<Part<'realm_user'>, 'realm_users' | 'realm_non_active_users' | 'cross_realm_bots'>
export type GroupState = Part<'realm_user_groups'>
export type ChannelState = Part<'subscription'> & Part<'stream'>
export type DefaultChannelState = Part<'default_streams'> & Part<'default_stream_groups'>
export type FolderState = Part<'channel_folders'>
export type UnreadState = Part<'update_message_flags'>
export type StarredState = Part<'starred_messages'>
export type ConversationState = Part<'recent_private_conversations'> & Part<'message'>
export type PresenceState = Part<'presence'>
export type EmojiState = Part<'realm_emoji'>
export type MutedUserState = Part<'muted_users'>
export type AlertWordState = Part<'alert_words'>
export type StatusState = Part<'user_status'>
export type DomainState = Part<'realm_domains'>
export type BotState = Part<'realm_bot'>
export type SnippetState = Part<'saved_snippets'>
export type DraftState = Part<'drafts'>
export type ScheduledState = Part<'scheduled_messages'>
export type ReminderState = Part<'reminders'>
export type TopicState = Part<'user_topic'> & Part<'muted_topics'>

/** The whole `register` response. */
export type State = Partial<
  UserState &
    GroupState &
    ChannelState &
    DefaultChannelState &
    FolderState &
    UnreadState &
    StarredState &
    ConversationState &
    PresenceState &
    DraftState &
    ScheduledState &
    ReminderState &
    SnippetState &
    BotState &
    EmojiState &
    MutedUserState &
    AlertWordState &
    StatusState &
    DomainState &
    TopicState
> &
  Static<TObject<typeof registerState>> & { [field: string]: unknown }

/** The part of the state that belongs to one feature. */
export interface Slice {
  /** The fields of the `register` response that the slice keeps up to date. */
  readonly fields: readonly string[]
  /** The types of events that may change what a reader of the slice sees. */
  readonly events: readonly QueueEvent['type'][]
  /** Applies an event. Events of other features are ignored. */
  apply(event: QueueEvent): void
  /** The fields as a new `register` response would contain them. */
  snapshot(): State
}

/** The named fields that are present. */
export function pick(state: State, names: readonly string[]): State {
  return Object.fromEntries(Object.entries(state).filter(([name]) => names.includes(name)))
}

/** Adds missing ids to a sorted list. */
export function including(list: readonly number[], added: readonly number[]): number[] {
  return [...new Set([...list, ...added])].sort((a, b) => a - b)
}

export function excluding(list: readonly number[], removed: readonly number[]): number[] {
  return list.filter((one) => !removed.includes(one))
}

/** The ids in a delete_message event, which has one of two forms. */
export function deletedIds({ message_ids, message_id }: Extract<QueueEvent, { type: 'delete_message' }>): number[] {
  return message_ids ?? (message_id === undefined ? [] : [message_id])
}
