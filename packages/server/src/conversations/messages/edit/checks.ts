import { createHash } from 'node:crypto'
import { emptyTopicDisplayName, roles } from '@parley/api/common'
import type { editMessage } from '@parley/api/conversations/editing'
import type { ParamsOf } from '@parley/api/operation'
import { mayInRealm } from '@parley/api/permissions'
import type { Caller } from '../../../callers/caller.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { one } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { isPrintable } from '../../../platform/text.ts'
import { accessChannel, type Channel } from '../../channels/access.ts'
import { checkPostingGroup } from '../../channels/posting-access.ts'
import { InvalidMessage } from '../model/access.ts'
import { type Entry, historyColumn, sortedHistory } from '../model/edit-history.ts'
import { checkMandatoryTopic, cutTopic, topicName } from '../model/normalize-text.ts'
import type { Editing } from './lock-for-edit.ts'
import { isResolvedEmpty, isResolving, mayBeCutName } from './resolve.ts'

export type EditParams = ParamsOf<typeof editMessage>

/** Limits end this much later than clients display, so that users who started in time can finish. */
export const graceSeconds = 20

/** The changes to apply. Fields that are undefined stay unchanged. */
export interface Change {
  content: string | undefined
  topic: string | undefined
  channel: Channel | undefined
  /** Whether the topic is only resolved or reopened. */
  resolving: boolean
}

/** Validates and authorizes the request. Returns the changes to apply. */
export async function checkEdit(db: Db, caller: Caller, editing: Editing, params: EditParams): Promise<Change> {
  const { content, stream_id } = params
  if (content !== undefined) checkContentEdit(caller, editing.message)
  if (editing.place?.channel.is_archived) throw new InvalidMessage()
  if (content !== undefined) checkPreviousContent(editing, params)
  const topic = changedTopic(editing, params.topic)
  checkShape(editing, params, topic)
  if (topic !== undefined) checkTopicName(caller, topic)
  if (stream_id !== undefined && content !== undefined)
    throw new ApiError('A message cannot be edited and moved to another channel at once.')
  if (content !== undefined && editing.message.has_submessages) throw new ApiError('Widgets cannot be edited.')
  const channel = await targetChannel(db, caller, editing, stream_id)
  const resolving = topic !== undefined && (await resolvesTopic(db, caller, editing, topic))
  const change = { content, topic: topic && cutTopic(topic), channel, resolving }
  if (topic !== undefined) checkTopicMove(caller, editing, change, params)
  if (channel) await checkChannelMove(db, caller, editing, channel, params)
  return change
}

/** Only the author may edit the content, and only within the organization's time limit. */
export function checkContentEdit(
  { id, realm }: Caller,
  { sender_id, age_seconds }: Pick<Editing['message'], 'sender_id' | 'age_seconds'>,
  grace = graceSeconds,
): void {
  if (!realm.settings.allow_message_editing) throw new ApiError('Your organization has turned off message editing.')
  if (sender_id !== id) throw new ApiError("You don't have permission to edit this message.")
  if (isPast(age_seconds - grace, realm.settings.message_content_edit_limit_seconds))
    throw new ApiError('The time limit for editing this message has passed.')
}

/** Optimistic locking: of two concurrent edits, the second fails if it is based on the content before the first. */
function checkPreviousContent({ message }: Editing, { prev_content_sha256: expected }: EditParams): void {
  if (expected === undefined) return
  const actual = createHash('sha256').update(message.content).digest('hex')
  if (actual !== expected.toLowerCase())
    throw new ApiError("'prev_content_sha256' value does not match the expected value.", 'EXPECTATION_MISMATCH', {
      fields: { field_name: 'prev_content_sha256' },
    })
}

function isPast(age: number, limit: number | null): boolean {
  return limit !== null && age > limit
}

/** The new topic name, not yet truncated; undefined if it equals the current one. */
function changedTopic({ place }: Editing, requested: string | undefined): string | undefined {
  if (requested === undefined) return undefined
  const name = topicName(requested)
  return place && (name === place.topic.name || cutTopic(name) === place.topic.name) ? undefined : name
}

/** Refuses combinations of parameters that are invalid, in general or for this message. */
function checkShape({ place }: Editing, params: EditParams, topic: string | undefined): void {
  const { content, stream_id, propagate_mode } = params
  const moves = topic !== undefined || (stream_id !== undefined && stream_id !== place?.channel.id)
  if (content === undefined && !moves) throw new ApiError('Nothing to change')
  if (!place && moves) throw new ApiError('Direct messages have neither a channel nor a topic.')
  if (propagate_mode !== 'change_one' && !moves)
    throw new ApiError('Invalid propagate_mode without topic edit or channel edit')
}

function checkTopicName({ realm }: Caller, topic: string): void {
  checkMandatoryTopic(realm, topic)
  if (isResolvedEmpty(topic)) throw new ApiError(`The topic '${emptyTopicDisplayName}' cannot be marked as resolved.`)
  if (!isPrintable(topic)) throw new ApiError('Invalid character in topic!')
}

async function targetChannel(db: Db, caller: Caller, { place }: Editing, id: number | undefined) {
  return id === undefined || id === place?.channel.id ? undefined : accessChannel(db, caller, id)
}

/** Whether the topic is only resolved or reopened. A name that was cut when it was resolved may come back whole. */
async function resolvesTopic(
  db: Db,
  { realm_id }: Caller,
  { message, place }: Editing,
  topic: string,
): Promise<boolean> {
  const { name } = place!.topic
  if (isResolving(name, topic)) return true
  return mayBeCutName(name, topic) && (await nameBeforeResolving(db, realm_id, message.id)) === topic
}

async function nameBeforeResolving(db: Db, realmId: number, messageId: number): Promise<string | undefined> {
  const { history } = await one<{ history: Entry[] }>(db)`
    select ${historyColumn} as history from messages m where m.realm_id = ${realmId} and m.id = ${messageId}`
  const last = sortedHistory(history).find(({ prev_topic }) => prev_topic !== undefined)
  return last?.resolving ? last.prev_topic : undefined
}

function checkTopicMove(caller: Caller, { message }: Editing, { resolving }: Change, params: EditParams): void {
  const { realm } = caller
  const setting = resolving ? 'can_resolve_topics_group' : 'can_move_messages_between_topics_group'
  if (!mayInRealm(caller, realm, setting))
    throw new ApiError(`You don't have permission to ${resolving ? 'resolve topics' : 'edit this message'}.`)
  if (!resolving)
    checkAge(caller, message.age_seconds, realm.settings.move_messages_within_stream_limit_seconds, params)
}

async function checkChannelMove(
  db: Db,
  caller: Caller,
  { message }: Editing,
  channel: Channel,
  params: EditParams,
): Promise<void> {
  const { realm } = caller
  if (!mayInRealm(caller, realm, 'can_move_messages_between_channels_group'))
    throw new ApiError("You don't have permission to move this message to another channel.")
  await checkPostingGroup(db, caller, channel)
  checkAge(caller, message.age_seconds, realm.settings.move_messages_between_streams_limit_seconds, params)
}

/** For a whole topic, checkTimeLimit in move-selection.ts checks the age of all its messages instead. */
function checkAge(caller: Caller, age: number, limit: number | null, { propagate_mode }: EditParams): void {
  if (isExempt(caller) || propagate_mode === 'change_all') return
  if (isPast(age - graceSeconds, limit)) throw new ApiError('The time limit for moving this message has passed.')
}

/** Administrators and moderators may move messages of any age. */
export function isExempt({ role }: Caller): boolean {
  return role <= roles.moderator
}
