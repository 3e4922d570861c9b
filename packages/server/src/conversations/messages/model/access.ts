import { type ChannelAccess, canReadUnsubscribed, readingPermissions } from '@parley/api/channel-permissions'
import { isGuest } from '@parley/api/permissions'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import { mayUseChannel } from '../../../callers/credential.ts'
import { loader, type Scope } from '../../../events/commit/loader.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { isReadableBy, isSubscribedBy } from '../../channels/visibility/conditions.ts'
import { received } from './read-state.ts'
import { joinMessage } from './received.ts'

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
 * Whether the caller may read channel `c`: `mayRead` for queries. With protected history, callers also check that the
 * message was received. Guests must be subscribed, even to web-public channels.
 */
export function isOpenTo(caller: Caller): Fragment {
  return isGuest(caller) ? isSubscribedBy(caller.id) : isReadableBy(caller)
}

/** Loads a message the caller may read. A hidden message fails exactly like one that does not exist. */
export async function accessMessage(db: Db, caller: Caller, id: number): Promise<Message> {
  return foundAll(await accessibleMessages(db, caller, [id]), [id])[0]!
}

/** The same in a transaction that acts of other users may share. */
export async function accessMessageIn(tx: Scope, caller: Caller, id: number): Promise<Message> {
  return (await accessMessages(tx, caller, [id]))[0]!
}

/** Loads messages, and throws unless the caller may read all of them. */
export async function accessMessages(tx: Scope, caller: Caller, ids: number[]): Promise<Message[]> {
  return foundAll(await readable(tx, caller, ids), ids)
}

function foundAll(messages: Message[], ids: number[]): Message[] {
  if (messages.length !== new Set(ids).size) throw new InvalidMessage()
  return messages
}

/** Loads the messages that the caller may read and skips the others. Sorted by id. */
export async function accessibleMessages(db: Db, caller: Caller, ids: number[]): Promise<Message[]> {
  return readable({ db, realmId: caller.realm_id }, caller, ids)
}

async function readable(scope: Scope, caller: Caller, ids: number[]): Promise<Message[]> {
  const rows = await findMessages(
    scope,
    ids.map((id) => ({ user_id: caller.id, id })),
  )
  return rows.filter((row) => mayRead(caller, row)).map(toMessage)
}

/** A direct message has no channel. */
type ChannelColumns = { [Column in keyof ChannelAccess]: ChannelAccess[Column] | null }

interface FoundMessage extends Message, ChannelColumns {
  is_participant: boolean
  is_subscribed: boolean
  is_in_history: boolean
}

/** The messages with these ids, and what decides whether the user may read them. Sorted by id. */
const findMessages = loader({ user_id: 'bigint', id: 'bigint' }, ({ realmId }, k) => {
  const ofReader = sql`realm_id = ${realmId} and user_id = k.user_id`
  return sql<FoundMessage>`
    select k.place, m.id, m.recipient_id, m.channel_id, m.topic_id, m.sender_id, m.date_sent, m.content,
           c.is_web_public, c.invite_only, ${sql.join(readingPermissions.map((name) => sql.ref(`c.${name}`)))},
           m.channel_id is null and exists (
             select 1 from direct_participants where ${ofReader} and recipient_id = m.recipient_id) as is_participant,
           exists (select 1 from subscriptions where ${ofReader} and channel_id = m.channel_id and is_active) as is_subscribed,
           c.history_public_to_subscribers or ${received({ id: sql`k.user_id`, realm_id: realmId })} as is_in_history
      from ${k}
      ${joinMessage(realmId, sql`k.id`)}
      left join channels c on c.id = m.channel_id and c.realm_id = m.realm_id
      left join message_flags f on f.realm_id = ${realmId} and f.user_id = k.user_id and f.message_id = m.id
     order by m.id`
})

/**
 * Guests must be subscribed, even to web-public channels. Agents are limited here, too, so that a message that moves
 * between the check of a tool and its write is refused under the lock of the write.
 */
function mayRead(caller: Caller, row: FoundMessage): boolean {
  if (!mayUseChannel(caller.credential, row.channel_id)) return false
  if (row.channel_id === null) return row.is_participant
  const isOpen = row.is_subscribed || (!isGuest(caller) && canReadUnsubscribed(caller, row as ChannelAccess))
  return isOpen && row.is_in_history
}

function toMessage({ id, recipient_id, channel_id, topic_id, sender_id, date_sent, content }: FoundMessage): Message {
  return { id, recipient_id, channel_id, topic_id, sender_id, date_sent, content }
}

/** The ids of the messages that the caller received. */
export async function receivedAmong(db: Db, caller: Caller, ids: number[]): Promise<number[]> {
  return column<number>(db)`
    select m.id from messages m
      left join message_flags f on f.realm_id = m.realm_id and f.user_id = ${caller.id} and f.message_id = m.id
     where m.realm_id = ${caller.realm_id} and m.id = any(${ids}::bigint[]) and ${received(caller)}
     order by m.id`
}
