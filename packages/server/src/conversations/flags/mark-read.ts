import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import type { Fragment } from '../../platform/db/fragment.ts'
import { allDone } from '../../platform/db/pipelined.ts'
import { many } from '../../platform/db/query.ts'
import { valueRows } from '../../platform/db/value-rows.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import { conversationJoin, isAboveFloor, isUnread, personalJoins, received } from '../messages/model/read-state.ts'
import { joinMessage } from '../messages/model/received.ts'
import { type Mark, type Marks, markRows, marksOf } from './marks.ts'

type Scope = Pick<Tx, 'db' | 'realmId'>

const { read, unread, historical } = flagBits
const bits = { read: sql.lit(read), unread: sql.lit(unread), historical: sql.lit(historical) }

/** Marks the unread messages among these as read, and returns them. */
export async function markRead(tx: Scope, own: Marks): Promise<number[]> {
  const marks = marksOf(own)
  await lockConversations(tx, marks)
  const changed = await findUnread(tx, marks)
  if (changed.length > 0) {
    const raised = await raiseFloors(tx, changed)
    await addReadExceptions(tx, changed)
    await clearExceptions(tx, changed, raised)
  }
  return changed.map(({ message_id }) => message_id)
}

/** Marks the read messages among these as unread, and returns them. */
export async function markUnread(tx: Scope, own: Marks): Promise<number[]> {
  const marks = marksOf(own)
  const reader = readerOf(tx)
  await lockConversations(tx, marks)
  const changed = await many<Mark>(tx.db)`
    insert into message_flags (realm_id, user_id, message_id, flags)
    select m.realm_id, k.user_id, m.id,
           case when ${isAboveFloor({ user: reader.id, floor: sql`r.floor` })} then 0 else ${bits.unread} end
           | case when ${received(reader)} then 0 else ${bits.historical} end
      from ${markedMessages(tx, marks)} ${conversationJoin(reader)} ${personalJoins(reader)}
     where r.floor is not null and not ${isUnread(reader)}
     order by k.user_id, m.id
    on conflict (realm_id, user_id, message_id)
    do update set flags = (message_flags.flags & ~${bits.read}) | excluded.flags
    returning user_id, message_id`
  await deleteEmpty(tx, changed)
  return changed.map(({ message_id }) => message_id)
}

/** The marked messages `m`, each with its mark `k`. */
function markedMessages(tx: Scope, marks: Mark[]): Fragment {
  return sql`${markRows('k', marks)} ${joinMessage(tx.realmId, sql`k.message_id`)}`
}

/** The user of the mark `k`. */
function readerOf({ realmId }: Scope) {
  return { id: sql`k.user_id`, realm_id: realmId }
}

/** Serializes concurrent requests of one user, because read floors and exceptions must change together. */
async function lockConversations(tx: Scope, marks: Mark[]): Promise<void> {
  const inChannels = sql`
    select 1 from subscriptions s
     where s.realm_id = ${tx.realmId}
       and (s.user_id, s.channel_id) in (select k.user_id, m.channel_id from ${markedMessages(tx, marks)})
     order by s.user_id, s.channel_id for no key update`
  const direct = sql`
    select 1 from direct_participants d
     where d.realm_id = ${tx.realmId}
       and (d.user_id, d.recipient_id) in (select k.user_id, m.recipient_id from ${markedMessages(tx, marks)})
     order by d.user_id, d.recipient_id for no key update`
  await allDone([inChannels.execute(tx.db), direct.execute(tx.db)])
}

async function findUnread(tx: Scope, marks: Mark[]): Promise<Mark[]> {
  const reader = readerOf(tx)
  return many<Mark>(tx.db)`
    select k.user_id, m.id as message_id
      from ${markedMessages(tx, marks)} ${conversationJoin(reader)} ${personalJoins(reader)}
     where ${isUnread(reader)}`
}

interface RaisedFloor {
  user_id: number
  recipient_id: number
  before: number
  now: number
}

/**
 * Raises the read floor of each conversation to just below the first message that stays unread, or to the newest
 * message. Message ids follow commit order, so no new message can appear below a floor.
 */
async function raiseFloors(tx: Scope, marks: Mark[]): Promise<RaisedFloor[]> {
  return many<RaisedFloor>(tx.db)`
    with marked as materialized (
      select * from ${markRows('k', marks)}
    ), conversations as (
      select distinct k.user_id, m.recipient_id, m.channel_id, r.floor
        from marked k join messages m on m.realm_id = ${tx.realmId} and m.id = k.message_id ${conversationJoin(readerOf(tx))}
       where r.floor is not null
    ), raised as (
      select r.user_id, r.recipient_id, r.channel_id, r.floor as before, coalesce(
        (select m.id - 1 from messages m
           left join message_flags f on f.realm_id = ${tx.realmId} and f.user_id = r.user_id and f.message_id = m.id
          where m.realm_id = ${tx.realmId} and m.recipient_id = r.recipient_id and m.id > r.floor
            and ${isUnread({ id: sql`r.user_id`, realm_id: tx.realmId })}
            and (r.user_id, m.id) not in (select user_id, message_id from marked)
          order by m.id limit 1),
        (select max(m.id) from messages m where m.realm_id = ${tx.realmId} and m.recipient_id = r.recipient_id)) as now
        from conversations r
    ), in_channels as (
      update subscriptions s set read_floor = raised.now from raised
       where s.realm_id = ${tx.realmId} and s.user_id = raised.user_id and s.channel_id = raised.channel_id
         and raised.now > raised.before
    ), direct as (
      update direct_participants d set read_floor = raised.now from raised
       where d.realm_id = ${tx.realmId} and d.user_id = raised.user_id and d.recipient_id = raised.recipient_id
         and raised.channel_id is null and raised.now > raised.before
    )
    select user_id, recipient_id, before, now from raised`
}

/** Messages above the read floor that were read out of order need a flags row each. */
async function addReadExceptions(tx: Scope, marks: Mark[]): Promise<void> {
  await sql`
    insert into message_flags (realm_id, user_id, message_id, flags)
    select m.realm_id, k.user_id, m.id, ${bits.read} from ${markedMessages(tx, marks)} ${conversationJoin(readerOf(tx))}
     where m.id > r.floor
     order by k.user_id, m.id
    on conflict (realm_id, user_id, message_id)
    do update set flags = (message_flags.flags | ${bits.read}) & ~${bits.unread}`.execute(tx.db)
}

const floorColumns = { user_id: 'bigint', recipient_id: 'bigint', before: 'bigint', now: 'bigint' } as const

/** Clears read and unread bits below the new floor, of the messages marked now and of those the floor has passed. */
async function clearExceptions(tx: Scope, marks: Mark[], raised: RaisedFloor[]): Promise<void> {
  const cleared = await many<Mark>(tx.db)`
    with raised as (
      select * from ${valueRows('r', raised, floorColumns)}
    ), obsolete as (
      select user_id, message_id from ${markRows('k', marks)}
      union
      select f.user_id, f.message_id from raised r
        join message_flags f on f.realm_id = ${tx.realmId} and f.user_id = r.user_id
                            and f.message_id > r.before and f.message_id <= r.now and f.flags & ${bits.read} <> 0
    )
    update message_flags f set flags = f.flags & ~(${bits.read} | ${bits.unread})
      from obsolete n
      join messages m on m.realm_id = ${tx.realmId} and m.id = n.message_id
      join raised r on r.user_id = n.user_id and r.recipient_id = m.recipient_id and m.id <= r.now
     where f.realm_id = ${tx.realmId} and f.user_id = n.user_id and f.message_id = n.message_id
    returning f.user_id, f.message_id`
  await deleteEmpty(tx, cleared)
}

/** Deletes rows without flags. They are not needed to know who received a message: subscription periods say that. */
export async function deleteEmpty(tx: Scope, marks: Mark[]): Promise<void> {
  if (marks.length === 0) return
  await sql`
    delete from message_flags f using ${markRows('k', marks)}
     where f.realm_id = ${tx.realmId} and f.user_id = k.user_id and f.message_id = k.message_id and f.flags = 0`.execute(
    tx.db,
  )
}
