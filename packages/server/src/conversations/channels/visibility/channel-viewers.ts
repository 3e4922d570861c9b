import { sql } from 'kysely'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Tx } from '../../../events/transact.ts'
import { groupsContaining } from '../../../organization/groups/nested-groups.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column, many } from '../../../platform/db/query.ts'
import { type Channel, channelColumnList, viewingPermissions } from '../access.ts'
import { readChannels, readSubscribers } from '../queries.ts'
import { canSee } from './conditions.ts'

/** The users who can see each channel, by channel id. */
export type ChannelViewers = Map<number, Set<number>>

/** The private channels that these groups, or groups that contain them, give access to. */
export async function findGrantedChannels(db: Db, realmId: number, groups: number[]): Promise<Channel[]> {
  const columns = sql.join(viewingPermissions.map((name) => sql.ref(name)))
  return many<Channel>(db)`
    with granting as (${groupsContaining(realmId, groups)})
    select ${channelColumnList} from channels
     where realm_id = ${realmId} and invite_only and array[${columns}] && array(select id from granting)`
}

export async function readChannelViewers(db: Db, channels: Channel[]): Promise<ChannelViewers> {
  const viewers: ChannelViewers = new Map()
  for (const channel of channels) viewers.set(channel.id, await readViewers(db, channel))
  return viewers
}

async function readViewers(db: Db, channel: Channel): Promise<Set<number>> {
  const ids = await column<number>(db)`
    select u.id from users u
     where u.realm_id = ${channel.realm_id} and u.is_active and not u.is_system_bot and ${canSee(channel)}`
  return new Set(ids)
}

/** Emits create events to users who gained visibility of a channel, and delete events to users who lost it. */
export async function emitViewerChanges(
  tx: Tx,
  realm: Realm,
  before: ChannelViewers,
  channels: Channel[],
): Promise<void> {
  const after = await readChannelViewers(tx.db, channels)
  for (const { id } of channels) {
    const gained = [...after.get(id)!].filter((user) => !before.get(id)!.has(user))
    const lost = [...before.get(id)!].filter((user) => !after.get(id)!.has(user))
    if (gained.length > 0) await emitCreated(tx, realm, id, gained)
    if (lost.length > 0)
      tx.emit({ type: 'stream', op: 'delete', stream_ids: [id], streams: [{ stream_id: id }] }, { users: lost })
  }
}

async function emitCreated(tx: Tx, realm: Realm, id: number, users: number[]): Promise<void> {
  const streams = await readChannels(tx.db, realm, sql`c.id = ${id}`)
  tx.emit({ type: 'stream', op: 'create', streams }, { users })
  const user_ids = (await readSubscribers(tx.db, realm.id, [id])).get(id) ?? []
  if (user_ids.length > 0) tx.emit({ type: 'subscription', op: 'peer_add', stream_ids: [id], user_ids }, { users })
}
