import type { UserObject } from '@parley/api/users'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'

export type ProfileData = NonNullable<UserObject['profile_data']>

/** What people's profiles say, by user id. `which` is a condition on the value `v`, for some people only. */
export async function readProfileData(
  db: Db,
  realmId: number,
  which: RawBuilder<unknown> = sql`true`,
): Promise<Map<number, ProfileData>> {
  const { rows } = await sql<{ user_id: number; data: ProfileData }>`
    select v.user_id, jsonb_object_agg(v.field_id,
             case when v.rendered_value is null then jsonb_build_object('value', v.value)
                  else jsonb_build_object('value', v.value, 'rendered_value', v.rendered_value) end) as data
      from profile_values v where v.realm_id = ${realmId} and ${which} group by v.user_id`.execute(db)
  return new Map(rows.map(({ user_id, data }) => [user_id, data]))
}
