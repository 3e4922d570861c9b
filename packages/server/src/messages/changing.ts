import { type RawBuilder, sql } from 'kysely'
import { type Channel, channelColumns } from '../channels/access.ts'
import type { Db } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transact.ts'
import type { Caller } from '../users/caller.ts'
import { accessMessage, InvalidMessage, type Message } from './access.ts'
import type { Conversation } from './audience.ts'

export interface Changing {
  message: Message
  conversation: Conversation
}

/** How a message is held: against being deleted, or against any change. */
const locks = { stays: sql`for key share`, changes: sql`for update` } satisfies Record<string, RawBuilder<unknown>>

/**
 * A message the caller may read, held for a change that others are to hear of. Its channel is held too, so that
 * nobody who is to hear of it leaves meanwhile. An archived channel takes no changes.
 */
export async function accessMessageToChange(
  tx: Tx,
  caller: Caller,
  id: number,
  lock: keyof typeof locks = 'stays',
): Promise<Changing> {
  for (;;) {
    const { channel_id } = await accessMessage(tx.db, caller, id)
    const channel = channel_id === null ? null : await holdChannel(tx.db, tx.realmId, channel_id)
    await sql`select 1 from messages where realm_id = ${tx.realmId} and id = ${id} ${locks[lock]}`.execute(tx.db)
    // Moved, deleted or hidden while we waited for the locks?
    const message = await accessMessage(tx.db, caller, id)
    if (message.channel_id !== channel_id) continue
    if (channel?.is_archived) throw new InvalidMessage()
    return { message, conversation: { realm_id: tx.realmId, recipient_id: message.recipient_id, channel } }
  }
}

/** The channel as it is now, with its memberships held as they are until the transaction ends. */
export async function holdChannel(db: Db, realmId: number, id: number): Promise<Channel> {
  const { rows } = await sql<Channel>`
    select ${channelColumns} from channels where realm_id = ${realmId} and id = ${id} for share`.execute(db)
  return rows[0]!
}
