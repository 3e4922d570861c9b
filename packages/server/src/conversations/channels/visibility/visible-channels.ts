import { isGuest } from '@parley/api/permissions'
import { sql } from 'kysely'
import { type Caller, loadCaller } from '../../../callers/caller.ts'
import { loadState } from '../../../callers/realm-state.ts'
import type { Tx } from '../../../events/transact.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column, many } from '../../../platform/db/query.ts'
import { type Channel, channelColumnList } from '../access.ts'
import { readDefaultGroups } from '../default-groups/queries.ts'
import { readChannels, readDefaultChannelIds, readSubscribers } from '../queries.ts'
import { peerAudience, readHolders } from './channel-audience.ts'
import { isVisibleTo } from './conditions.ts'

/** The channels that a user can see at one moment, including archived channels, which current clients list too. */
export interface VisibleChannels {
  viewer: Caller
  channelIds: Set<number>
}

export async function readVisibleChannels(db: Db, realmId: number, userId: number): Promise<VisibleChannels> {
  const viewer = (await loadCaller(db, await loadState(db, realmId), userId))!
  const ids = await column<number>(db)`
    select c.id from channels c where c.realm_id = ${realmId} and ${isVisibleTo(viewer)}`
  return { viewer, channelIds: new Set(ids) }
}

/** Emits the channels that a user gained or lost visibility of, after a change of permissions. */
export async function emitVisibleChannelChanges(tx: Tx, before: VisibleChannels): Promise<void> {
  const { id } = before.viewer
  const now = await readVisibleChannels(tx.db, tx.realmId, id)
  const gained = [...now.channelIds.difference(before.channelIds)]
  const lost = [...before.channelIds.difference(now.channelIds)].sort((a, b) => a - b)
  if (gained.length > 0) await emitCreated(tx, now, gained)
  if (lost.length > 0)
    tx.emit(
      { type: 'stream', op: 'delete', stream_ids: lost, streams: lost.map((stream_id) => ({ stream_id })) },
      { users: [id] },
    )
  if (isGuest(before.viewer) !== isGuest(now.viewer)) await emitDefaults(tx, now.viewer)
}

async function emitCreated(tx: Tx, { viewer }: VisibleChannels, ids: number[]): Promise<void> {
  const streams = await readChannels(tx.db, viewer.realm, sql`c.id = any(${ids}::bigint[])`)
  tx.emit({ type: 'stream', op: 'create', streams }, { users: [viewer.id] })
  for (const [channelId, user_ids] of await readSubscribers(tx.db, tx.realmId, ids))
    tx.emit({ type: 'subscription', op: 'peer_add', stream_ids: [channelId], user_ids }, { users: [viewer.id] })
}

/** Guests do not get the default channels and their groups. */
async function emitDefaults(tx: Tx, viewer: Caller): Promise<void> {
  const default_streams = isGuest(viewer) ? [] : await readDefaultChannelIds(tx.db, tx.realmId)
  const default_stream_groups = isGuest(viewer) ? [] : await readDefaultGroups(tx.db, tx.realmId)
  tx.emit({ type: 'default_streams', default_streams }, { users: [viewer.id] })
  tx.emit({ type: 'default_stream_groups', default_stream_groups }, { users: [viewer.id] })
}

/** A reactivated user is again among the subscribers of their channels. */
export async function emitReturn(tx: Tx, viewer: Caller): Promise<void> {
  const channels = await many<Channel>(tx.db)`
    select ${channelColumnList} from channels
     where realm_id = ${tx.realmId} and id in (
       select channel_id from subscriptions where realm_id = ${tx.realmId} and user_id = ${viewer.id} and is_active)
     order by id`
  const holders = await readHolders(tx.db, tx.realmId, channels)
  for (const channel of channels)
    tx.emit(
      { type: 'subscription', op: 'peer_add', stream_ids: [channel.id], user_ids: [viewer.id] },
      { ...peerAudience(viewer.realm, channel, holders), except: [viewer.id] },
    )
}
