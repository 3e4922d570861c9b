import type { DefaultChannelGroup } from '@parley/api/conversations/default-channel-groups'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import { column, many } from '../../../platform/db/query.ts'

/** All default channel groups by name, each with its channels by id. */
export function readDefaultGroups(db: Db, realmId: number): Promise<DefaultChannelGroup[]> {
  return many<DefaultChannelGroup>(db)`
    select g.id, g.name, g.description,
           array(select channel_id from default_channel_group_channels c
                  where c.realm_id = g.realm_id and c.group_id = g.id order by channel_id) as streams
      from default_channel_groups g
     where g.realm_id = ${realmId} order by g.name collate "C"`
}

/** A group as a person who joins sees it. */
export interface OfferedGroup {
  id: number
  name: string
  description: string
  channel_names: string[]
}

/** Groups without channels are not offered. */
export function readOfferedGroups(db: Db, realmId: number): Promise<OfferedGroup[]> {
  return many<OfferedGroup>(db)`
    select g.id, g.name, g.description, array_agg(c.name order by c.name) as channel_names
      from default_channel_groups g
      join default_channel_group_channels gc on gc.realm_id = g.realm_id and gc.group_id = g.id
      join channels c on c.realm_id = gc.realm_id and c.id = gc.channel_id and ${isOffered}
     where g.realm_id = ${realmId} group by g.id, g.name, g.description order by g.name collate "C"`
}

/** The channels of the groups that a person chose. Groups that were deleted since are ignored. */
export function readChannelsOfGroups(db: Db, realmId: number, groupIds: number[]): Promise<number[]> {
  return column<number>(db)`
    select distinct c.id from default_channel_group_channels gc
      join channels c on c.realm_id = gc.realm_id and c.id = gc.channel_id and ${isOffered}
     where gc.realm_id = ${realmId} and gc.group_id = any(${groupIds}::bigint[])`
}

const isOffered = sql<boolean>`not c.is_archived and not c.invite_only`
