import { isReadableBy, isSubscribedBy } from '../../channels/visibility/conditions.ts'
import { isGuest } from '../../groups/permission.ts'
import type { Fragment } from '../../platform/db/fragment.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column, many } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Caller } from '../../users/caller.ts'
import { received } from './read-state.ts'

/** The columns of a message that permission checks need. */
export interface Message {
  id: number
  recipient_id: number
  /** Null: a direct message. */
  channel_id: number | null
  topic_id: number | null
  sender_id: number
  date_sent: Date
  content: string
}

export class InvalidMessage extends ApiError {
  constructor() {
    super('Invalid message(s)')
  }
}

/**
 * Whether the caller may read channel `c`. With protected history, callers also check that the message was received.
 * Guests must be subscribed, even to web-public channels.
 */
export function isOpenTo(caller: Caller): Fragment {
  return isGuest(caller) ? isSubscribedBy(caller.id) : isReadableBy(caller)
}

/** Loads a message the caller may read. A hidden message fails exactly like one that does not exist. */
export async function accessMessage(db: Db, caller: Caller, id: number): Promise<Message> {
  const [message] = await accessibleMessages(db, caller, [id])
  if (!message) throw new InvalidMessage()
  return message
}

/** Loads messages, and throws unless the caller may read all of them. */
export async function accessMessages(db: Db, caller: Caller, ids: number[]): Promise<Message[]> {
  const messages = await accessibleMessages(db, caller, ids)
  if (messages.length !== new Set(ids).size) throw new InvalidMessage()
  return messages
}

/** Loads the messages that the caller may read and skips the others. Sorted by id. */
export async function accessibleMessages(db: Db, caller: Caller, ids: number[]): Promise<Message[]> {
  const { id: userId, realm_id } = caller
  return many<Message>(db)`
    select m.id, m.recipient_id, m.channel_id, m.topic_id, m.sender_id, m.date_sent, m.content
      from messages m
      left join channels c on c.id = m.channel_id and c.realm_id = m.realm_id
      left join message_flags f on f.realm_id = ${realm_id} and f.user_id = ${userId} and f.message_id = m.id
     where m.realm_id = ${realm_id} and m.id = any(${ids}::bigint[])
       and case when m.channel_id is null
                then exists (select 1 from direct_participants d where d.realm_id = ${realm_id}
                                and d.user_id = ${userId} and d.recipient_id = m.recipient_id)
                else ${isOpenTo(caller)} and (c.history_public_to_subscribers or ${received(caller)}) end
     order by m.id`
}

/** The ids of the messages that the caller received. */
export async function receivedAmong(db: Db, caller: Caller, ids: number[]): Promise<number[]> {
  return column<number>(db)`
    select m.id from messages m
      left join message_flags f on f.realm_id = m.realm_id and f.user_id = ${caller.id} and f.message_id = m.id
     where m.realm_id = ${caller.realm_id} and m.id = any(${ids}::bigint[]) and ${received(caller)}
     order by m.id`
}
