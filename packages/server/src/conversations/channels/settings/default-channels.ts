import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { addDefaultChannels } from '../create.ts'
import { readDefaultChannelIds } from '../queries.ts'
import { isDefaultChannel } from './update-access.ts'

/** Returns false if the channel is a default channel already. */
export async function addDefaultChannel(tx: Tx, channelId: number): Promise<boolean> {
  if (await isDefaultChannel(tx.db, tx.realmId, channelId)) return false
  await addDefaultChannels(tx, [channelId])
  return true
}

/** Returns false if the channel is not a default channel. */
export async function removeDefaultChannel(tx: Tx, channelId: number): Promise<boolean> {
  const removed = await tx.db
    .deleteFrom('default_channels')
    .where(matches({ realm_id: tx.realmId, channel_id: channelId }))
    .returning('channel_id')
    .executeTakeFirst()
  if (!removed) return false
  const default_streams = await readDefaultChannelIds(tx.db, tx.realmId)
  tx.emit({ type: 'default_streams', default_streams }, { realm: 'members' })
  return true
}
