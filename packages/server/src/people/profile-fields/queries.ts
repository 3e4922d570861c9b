import type { ProfileField } from '@parley/api/people/profile-fields'
import type { Db } from '../../platform/db/pool.ts'

/** The organization's profile fields, in order. */
export async function listProfileFields(db: Db, realmId: number): Promise<ProfileField[]> {
  const rows = await db
    .selectFrom('profile_fields')
    .select(['id', 'name', 'field_type as type', 'hint', 'field_data', 'place as order'])
    .select(['required', 'editable_by_user', 'display_in_profile_summary'])
    .where('realm_id', '=', realmId)
    .orderBy('place')
    .orderBy('id')
    .execute()
  return rows.map(({ display_in_profile_summary, ...field }) => ({
    ...field,
    ...(display_in_profile_summary && { display_in_profile_summary }),
  }))
}
