import { pinsPerChannel } from '@parley/api/limits'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import { lockRow } from '../../../events/lock-row.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { one } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { Channel } from '../../channels/access.ts'
import { readHolders, viewerAudience } from '../../channels/visibility/channel-audience.ts'

export interface NewPin {
  title: string
  message_id: number | null
  url: string | null
}

export async function createPin(tx: Tx, caller: Caller, channel: Channel, pin: NewPin): Promise<number> {
  await lockRow(tx, 'channels', channel.id)
  await deleteLostPins(tx, channel)
  const { id } = await tx.db
    .insertInto('channel_pins')
    .values({ realm_id: tx.realmId, channel_id: channel.id, user_id: caller.id, ...pin })
    .returning('id')
    .executeTakeFirstOrThrow()
  await checkCount(tx, channel)
  await emitChanged(tx, channel)
  return id
}

export async function deletePin(tx: Tx, channel: Channel, id: number): Promise<void> {
  const where = matches({ realm_id: tx.realmId, channel_id: channel.id, id })
  const { numDeletedRows } = await tx.db.deleteFrom('channel_pins').where(where).executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw new ApiError('Nothing is pinned here with this ID.', 'BAD_REQUEST', { status: 404 })
  await emitChanged(tx, channel)
}

/** Pins of messages that are no longer in the channel would count, but nobody sees them. */
async function deleteLostPins({ db, realmId }: Tx, { id }: Channel): Promise<void> {
  await sql`
    delete from channel_pins p
     where realm_id = ${realmId} and channel_id = ${id} and message_id is not null
       and not exists (
         select 1 from messages m where m.realm_id = ${realmId} and m.id = p.message_id and m.channel_id = ${id})`.execute(
    db,
  )
}

async function checkCount({ db, realmId }: Tx, { id }: Channel): Promise<void> {
  const { total } = await one<{ total: number }>(db)`
    select count(*) as total from channel_pins where realm_id = ${realmId} and channel_id = ${id}`
  if (total > pinsPerChannel)
    throw new ApiError(`At most ${pinsPerChannel} messages and links can be pinned to a channel. Remove one first.`)
}

/** Without the pins themselves: not everybody who sees the channel may read all of them. */
async function emitChanged(tx: Tx, channel: Channel): Promise<void> {
  const audience = viewerAudience(channel, await readHolders(tx.db, tx.realmId, [channel]))
  tx.emit({ type: 'channel_pins', stream_id: channel.id }, audience)
}
