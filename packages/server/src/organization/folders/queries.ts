import type { ChannelFolder } from '@parley/api/organization/folders'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'

/** The folders of a realm that match the condition, in their order. */
export async function readFolders(
  db: Db,
  realmId: number,
  condition: RawBuilder<unknown> = sql`true`,
): Promise<ChannelFolder[]> {
  return many<ChannelFolder>(db)`
    select id, name, description, rendered_description, place as "order",
           extract(epoch from date_created)::bigint as date_created, creator_id, is_archived
      from channel_folders where realm_id = ${realmId} and ${condition} order by place, id`
}

export function listFolders(db: Db, realmId: number, includeArchived: boolean): Promise<ChannelFolder[]> {
  return readFolders(db, realmId, includeArchived ? sql`true` : sql`not is_archived`)
}
