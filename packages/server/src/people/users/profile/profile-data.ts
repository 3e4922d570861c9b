import type { UserObject } from '@parley/api/people/users'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { Turns } from '../../../platform/event-loop.ts'

export type ProfileData = NonNullable<UserObject['profile_data']>

/** Profile data by user id, of these users or of all. */
export async function readProfileData(db: Db, realm_id: number, user_id?: number[]): Promise<Map<number, ProfileData>> {
  const rows = await db
    .selectFrom('profile_values')
    .select(['user_id', 'field_id', 'value', 'rendered_value'])
    .where(user_id === undefined ? matches({ realm_id }) : matches({ realm_id, user_id }))
    .execute()
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
