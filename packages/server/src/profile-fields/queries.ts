import type { ProfileField } from '@parley/api/profile-fields'
import type { Db } from '../platform/db/pool.ts'
import { many } from '../platform/db/query.ts'

type FieldRow = Omit<ProfileField, 'display_in_profile_summary'> & { display_in_profile_summary: boolean }

/** The organization's profile fields, in order. */
export async function listProfileFields(db: Db, realmId: number): Promise<ProfileField[]> {
  const rows = await many<FieldRow>(db)`
    select id, name, field_type as type, hint, field_data, place as order, required, editable_by_user,
           display_in_profile_summary
      from profile_fields where realm_id = ${realmId} order by place, id`
  return rows.map(({ display_in_profile_summary, ...field }) => ({
    ...field,
    ...(display_in_profile_summary && { display_in_profile_summary }),
  }))
}
