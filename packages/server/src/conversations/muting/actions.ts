import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { column } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { markRead } from '../flags/mark-read.ts'
import { unreadMessages } from '../messages/model/read-state.ts'
import { readMutedUsers } from './queries.ts'

/**
 * Mutes a user and marks their messages as read. Later messages are read from the start, because sending checks who
 * has muted the sender. `tx.position()` locks out senders; the second pass catches messages sent during the first.
 */
export async function muteUser(tx: Tx, caller: Caller, mutedId: number): Promise<void> {
  const changed = await tx.db
    .insertInto('muted_users')
    .values({ realm_id: tx.realmId, user_id: caller.id, muted_user_id: mutedId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  if (!changed) throw new ApiError('User already muted')
  const before = await markRead(tx, { user_id: caller.id, ids: await unreadFrom(tx, caller, mutedId) })
  await tx.position()
  const after = await markRead(tx, { user_id: caller.id, ids: await unreadFrom(tx, caller, mutedId) })
  const messages = [...before, ...after].sort((a, b) => a - b)
  if (messages.length > 0)
    tx.emit(
      { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read', messages, all: false },
      { users: [caller.id] },
    )
  await emitMutedUsers(tx, caller)
}

async function unreadFrom(tx: Tx, caller: Caller, senderId: number): Promise<number[]> {
  return column<number>(tx.db)`
    select u.id from (${unreadMessages(caller)}) u
      join messages m on m.realm_id = ${tx.realmId} and m.id = u.id
     where m.sender_id = ${senderId}`
}

export async function unmuteUser(tx: Tx, caller: Caller, mutedId: number): Promise<void> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('muted_users')
    .where(matches({ realm_id: tx.realmId, user_id: caller.id, muted_user_id: mutedId }))
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw new ApiError('User is not muted')
  await emitMutedUsers(tx, caller)
}

async function emitMutedUsers(tx: Tx, caller: Caller): Promise<void> {
  const muted_users = await readMutedUsers(tx.db, caller)
  tx.emit({ type: 'muted_users', muted_users }, { users: [caller.id] }, { access: true })
}
