import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { column, many, maybeOne } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { accessChannel, type Channel } from '../channels/access.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import { topicKey } from '../messages/model/normalize-text.ts'
import { personalJoins, received, unreadMessages } from '../messages/model/read-state.ts'
import { changeFlag } from './actions.ts'
import { deleteEmpty } from './mark-read.ts'
import type { Mark } from './marks.ts'

const exceptions = sql.lit(flagBits.read | flagBits.unread)

/** Raises every read floor to the newest message, which makes all read and unread exceptions obsolete. */
export async function readEverything(tx: Tx, caller: Caller): Promise<void> {
  await lockAllConversations(tx, caller)
  await clearExceptions(tx, caller)
  const { message } = await tx.position()
  await raiseAllFloors(tx, caller, message)
  tx.emit(
    { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read', messages: [], all: true },
    { users: [caller.id] },
  )
}

/** Locks rows in the same order as lockConversations in mark-read.ts, to avoid deadlocks. */
async function lockAllConversations(tx: Tx, { id, realm_id }: Caller): Promise<void> {
  const subscriptions = tx.db.selectFrom('subscriptions').where(matches({ realm_id, user_id: id, is_active: true }))
  await subscriptions.select('channel_id').orderBy('channel_id').forNoKeyUpdate().execute()
  const participations = tx.db.selectFrom('direct_participants').where(matches({ realm_id, user_id: id }))
  await participations.select('recipient_id').orderBy('recipient_id').forNoKeyUpdate().execute()
}

async function clearExceptions(tx: Tx, caller: Caller): Promise<void> {
  const cleared = await many<Mark>(tx.db)`
    update message_flags set flags = flags & ~${exceptions}
     where realm_id = ${caller.realm_id} and user_id = ${caller.id} and flags & ${exceptions} <> 0
    returning user_id, message_id`
  await deleteEmpty(tx, cleared)
}

async function raiseAllFloors(tx: Tx, { id: user_id, realm_id }: Caller, read_floor: number): Promise<void> {
  const active = matches({ realm_id, user_id, is_active: true })
  await tx.db.updateTable('subscriptions').set({ read_floor }).where(active).execute()
  await tx.db.updateTable('direct_participants').set({ read_floor }).where(matches({ realm_id, user_id })).execute()
}

export async function readChannel(tx: Tx, caller: Caller, channelId: number): Promise<void> {
  const { id } = await accessChannel(tx.db, caller, channelId)
  const ids = await findUnread(tx, caller, sql`u.channel_id = ${id}`)
  await changeFlag(tx, caller, { op: 'add', flag: 'read', ids })
}

/** A topic without messages that the caller received fails like one that does not exist. */
export async function readTopic(tx: Tx, caller: Caller, channelId: number, topic: string): Promise<void> {
  const channel = await accessChannel(tx.db, caller, channelId)
  const topicId = await receivedTopic(tx, caller, channel, topic)
  if (topicId === undefined) throw new ApiError(`No such topic '${topic}'`)
  const ids = await findUnread(tx, caller, sql`u.topic_id = ${topicId}`)
  await changeFlag(tx, caller, { op: 'add', flag: 'read', ids })
}

async function findUnread(tx: Tx, caller: Caller, condition: ReturnType<typeof sql>): Promise<number[]> {
  return column<number>(tx.db)`
    select u.id from (${unreadMessages(caller)}) u where ${condition}`
}

async function receivedTopic(tx: Tx, caller: Caller, { id }: Channel, topic: string): Promise<number | undefined> {
  const row = await maybeOne<{ id: number }>(tx.db)`
    select t.id from topics t
     where t.realm_id = ${tx.realmId} and t.channel_id = ${id} and t.name_key = ${topicKey(topic)}
       and exists (select 1 from messages m ${personalJoins(caller)}
                    where m.realm_id = t.realm_id and m.topic_id = t.id and ${received(caller)})`
  return row?.id
}
