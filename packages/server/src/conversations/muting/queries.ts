import type { Caller } from '../../callers/caller.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'

export async function readMutedUsers(
  db: Db,
  { id, realm_id }: Pick<Caller, 'id' | 'realm_id'>,
): Promise<{ id: number; timestamp: number }[]> {
  return many<{ id: number; timestamp: number }>(db)`
    select muted_user_id as id, floor(extract(epoch from date_muted))::bigint as timestamp from muted_users
     where realm_id = ${realm_id} and user_id = ${id} order by date_muted, muted_user_id`
}
