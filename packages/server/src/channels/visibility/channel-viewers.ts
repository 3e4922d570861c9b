import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column, many } from '../../platform/db/query.ts'
import type { Realm } from '../../realms/state.ts'
import { type Channel, channelColumns } from '../access.ts'
import { readChannels, readSubscribers } from '../queries.ts'

/** The users who can see each channel, by channel id. */
export type ChannelViewers = Map<number, Set<number>>

/** The private channels that these groups, or groups that contain them, give access to. */
export async function findGrantedChannels(db: Db, realmId: number, groups: number[]): Promise<Channel[]> {
  return many<Channel>(db)`
    with recursive above(id) as (
      select unnest(${groups}::bigint[])
      union
      select s.group_id from above a join group_subgroups s on s.realm_id = ${realmId} and s.subgroup_id = a.id
    )
    select ${channelColumns} from channels
     where realm_id = ${realmId} and invite_only
       and (can_administer_channel_group in (select id from above) or can_add_subscribers_group in (select id from above)
            or can_subscribe_group in (select id from above))`
}

export async function readChannelViewers(db: Db, channels: Channel[]): Promise<ChannelViewers> {
  const viewers: ChannelViewers = new Map()
  for (const channel of channels) viewers.set(channel.id, await readViewers(db, channel))
  return viewers
}

/** The rule of canSeeChannel, for all users at once. */
async function readViewers(db: Db, channel: Channel): Promise<Set<number>> {
  const { realm_id } = channel
  const granting = [
    channel.can_administer_channel_group,
    channel.can_add_subscribers_group,
    channel.can_subscribe_group,
  ]
  const ids = await column<number>(db)`
    with recursive below(id) as (
      select unnest(${granting}::bigint[])
      union
      select s.subgroup_id from below b join group_subgroups s on s.realm_id = ${realm_id} and s.group_id = b.id
    )
    select u.id from users u
     where u.realm_id = ${realm_id} and u.is_active and not u.is_system_bot
       and (${channel.is_web_public} or u.role <= 200 or (u.role < 600 and not ${channel.invite_only})
            or u.id in (select user_id from subscriptions
                         where realm_id = ${realm_id} and channel_id = ${channel.id} and is_active)
            or (u.role < 600 and u.id in (select m.user_id from group_members m join below on below.id = m.group_id
                                           where m.realm_id = ${realm_id})))`
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
