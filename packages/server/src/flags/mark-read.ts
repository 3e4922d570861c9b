import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import { accessMessages } from '../messages/model/access.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import {
  conversationsOf,
  isAboveFloor,
  isUnread,
  personalJoins,
  type Reader,
  received,
} from '../messages/model/read-state.ts'
import { matches } from '../platform/db/matches.ts'
import { column, many } from '../platform/db/query.ts'
import type { Caller } from '../users/caller.ts'

const { read, unread, historical } = flagBits
const bits = { read: sql.lit(read), unread: sql.lit(unread), historical: sql.lit(historical) }

/** Marks the unread messages among these as read, and returns them. */
export async function markRead(tx: Tx, reader: Reader, ids: number[]): Promise<number[]> {
  await lockConversations(tx, reader, ids)
  const changed = await findUnread(tx, reader, ids)
  if (changed.length === 0) return []
  const raised = await raiseFloors(tx, reader, changed)
  await addReadExceptions(tx, reader, changed)
  await clearExceptions(tx, reader, changed, raised)
  return changed
}

/**
 * Marks the read messages among these as unread. Returns them, and the channels that were ignored because only
 * subscribers can have unread messages.
 */
export async function markUnread(
  tx: Tx,
  caller: Caller,
  ids: number[],
): Promise<{ changed: number[]; ignored: number[] }> {
  const messages = await accessMessages(tx.db, caller, ids)
  await lockConversations(tx, caller, ids)
  const changed = await column<number>(tx.db)`
    insert into message_flags (realm_id, user_id, message_id, flags)
    select m.realm_id, ${caller.id}, m.id,
           case when ${isAboveFloor({ user: caller.id, floor: sql`r.floor` })} then 0 else ${bits.unread} end
           | case when ${received(caller)} then 0 else ${bits.historical} end
      from messages m
      join (${conversationsOf(caller)}) r on r.recipient_id = m.recipient_id
      ${personalJoins(caller)}
     where m.realm_id = ${caller.realm_id} and m.id = any(${ids}::bigint[]) and not ${isUnread(caller)}
     order by m.id
    on conflict (realm_id, user_id, message_id)
    do update set flags = (message_flags.flags & ~${bits.read}) | excluded.flags
    returning message_id`
  await deleteEmpty(tx, caller, changed)
  const subscribed = await subscribedAmong(tx, caller, ids)
  const channels = new Set(messages.map(({ channel_id }) => channel_id).filter((id) => id !== null))
  return { changed, ignored: [...channels].filter((id) => !subscribed.has(id)).sort((a, b) => a - b) }
}

/** Serializes concurrent requests of one user, because read floors and exceptions must change together. */
async function lockConversations(tx: Tx, { id, realm_id }: Reader, ids: number[]): Promise<void> {
  await sql`
    select 1 from subscriptions s
     where s.realm_id = ${realm_id} and s.user_id = ${id} and s.channel_id in (
       select m.channel_id from messages m where m.realm_id = ${realm_id} and m.id = any(${ids}::bigint[]))
     order by s.channel_id for no key update`.execute(tx.db)
  await sql`
    select 1 from direct_participants d
     where d.realm_id = ${realm_id} and d.user_id = ${id} and d.recipient_id in (
       select m.recipient_id from messages m where m.realm_id = ${realm_id} and m.id = any(${ids}::bigint[]))
     order by d.recipient_id for no key update`.execute(tx.db)
}

async function findUnread(tx: Tx, reader: Reader, ids: number[]): Promise<number[]> {
  return column<number>(tx.db)`
    select m.id from messages m
      join (${conversationsOf(reader)}) r on r.recipient_id = m.recipient_id
      ${personalJoins(reader)}
     where m.realm_id = ${reader.realm_id} and m.id = any(${ids}::bigint[]) and ${isUnread(reader)}`
}

interface RaisedFloor {
  recipient_id: number
  before: number
  now: number
}

/**
 * Raises the read floor of each conversation to just below the first message that stays unread, or to the newest
 * message. Message ids follow commit order, so no new message can appear below a floor.
 */
async function raiseFloors(tx: Tx, reader: Reader, ids: number[]): Promise<RaisedFloor[]> {
  const { id, realm_id } = reader
  return many<RaisedFloor>(tx.db)`
    with raised as (
      select r.recipient_id, r.channel_id, r.floor as before, coalesce(
        (select m.id - 1 from messages m
           left join message_flags f on f.realm_id = ${realm_id} and f.user_id = ${id} and f.message_id = m.id
          where m.realm_id = ${realm_id} and m.recipient_id = r.recipient_id and m.id > r.floor
            and ${isUnread(reader)} and m.id <> all(${ids}::bigint[])
          order by m.id limit 1),
        (select max(m.id) from messages m where m.realm_id = ${realm_id} and m.recipient_id = r.recipient_id)) as now
        from (${conversationsOf(reader)}) r
       where r.recipient_id in (
         select m.recipient_id from messages m where m.realm_id = ${realm_id} and m.id = any(${ids}::bigint[]))
    ), in_channels as (
      update subscriptions s set read_floor = raised.now from raised
       where s.realm_id = ${realm_id} and s.user_id = ${id} and s.channel_id = raised.channel_id and raised.now > raised.before
    ), direct as (
      update direct_participants d set read_floor = raised.now from raised
       where d.realm_id = ${realm_id} and d.user_id = ${id} and d.recipient_id = raised.recipient_id and raised.now > raised.before
    )
    select recipient_id, before, now from raised`
}

/** Messages above the read floor that were read out of order need a flags row each. */
async function addReadExceptions(tx: Tx, reader: Reader, ids: number[]): Promise<void> {
  const { id, realm_id } = reader
  await sql`
    insert into message_flags (realm_id, user_id, message_id, flags)
    select m.realm_id, ${id}, m.id, ${bits.read} from messages m
      join (${conversationsOf(reader)}) r on r.recipient_id = m.recipient_id
     where m.realm_id = ${realm_id} and m.id = any(${ids}::bigint[]) and m.id > r.floor
     order by m.id
    on conflict (realm_id, user_id, message_id)
    do update set flags = (message_flags.flags | ${bits.read}) & ~${bits.unread}`.execute(tx.db)
}

/** Clears read and unread bits below the new floor, of the messages marked now and of those the floor has passed. */
async function clearExceptions(tx: Tx, { id, realm_id }: Reader, ids: number[], raised: RaisedFloor[]): Promise<void> {
  const messageIds = await column<number>(tx.db)`
    with raised as (
      select * from unnest(${raised.map(({ recipient_id }) => recipient_id)}::bigint[], ${raised.map(({ before }) => before)}::bigint[],
                           ${raised.map(({ now }) => now)}::bigint[]) r(recipient_id, before, now)
    ), obsolete as (
      select unnest(${ids}::bigint[]) as message_id
      union
      select f.message_id from raised r
        join message_flags f on f.realm_id = ${realm_id} and f.user_id = ${id}
                            and f.message_id > r.before and f.message_id <= r.now and f.flags & ${bits.read} <> 0
    )
    update message_flags f set flags = f.flags & ~(${bits.read} | ${bits.unread})
      from obsolete n
      join messages m on m.realm_id = ${realm_id} and m.id = n.message_id
      join raised r on r.recipient_id = m.recipient_id and m.id <= r.now
     where f.realm_id = ${realm_id} and f.user_id = ${id} and f.message_id = n.message_id
    returning f.message_id`
  await deleteEmpty(tx, { id, realm_id }, messageIds)
}

/** Deletes rows without flags. They are not needed to know who received a message: subscription periods say that. */
export async function deleteEmpty(tx: Tx, { id, realm_id }: Reader, ids: number[]): Promise<void> {
  const empty = matches({ realm_id, user_id: id, message_id: ids, flags: 0 })
  await tx.db.deleteFrom('message_flags').where(empty).execute()
}

async function subscribedAmong(tx: Tx, { id, realm_id }: Reader, ids: number[]): Promise<Set<number>> {
  const channelIds = await column<number>(tx.db)`
    select s.channel_id from subscriptions s
     where s.realm_id = ${realm_id} and s.user_id = ${id} and s.is_active and s.channel_id in (
       select m.channel_id from messages m where m.realm_id = ${realm_id} and m.id = any(${ids}::bigint[]))`
  return new Set(channelIds)
}
