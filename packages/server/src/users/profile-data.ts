import type { UserObject } from '@parley/api/users'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'
import { many } from '../platform/db/query.ts'
import { Turns } from '../platform/event-loop.ts'

export type ProfileData = NonNullable<UserObject['profile_data']>

/** Profile data by user id. `which` is a SQL condition on the profile value `v`. */
export async function readProfileData(
  db: Db,
  realmId: number,
  which: RawBuilder<unknown> = sql`true`,
): Promise<Map<number, ProfileData>> {
  const rows = await many<{ user_id: number; field_id: number; value: string; rendered_value: string | null }>(db)`
    select v.user_id, v.field_id, v.value, v.rendered_value
      from profile_values v where v.realm_id = ${realmId} and ${which}`
  const profiles = new Map<number, ProfileData>()
  const turns = new Turns()
  for (const { user_id, field_id, value, rendered_value } of rows) {
    await turns.pause()
    const profile = profiles.get(user_id) ?? {}
    profile[field_id] = rendered_value === null ? { value } : { value, rendered_value }
    profiles.set(user_id, profile)
  }
  return profiles
}

/** The profile data of one user, also as a map. */
export function readProfile(db: Db, realmId: number, userId: number): Promise<Map<number, ProfileData>> {
  return readProfileData(db, realmId, sql`v.user_id = ${userId}`)
}
