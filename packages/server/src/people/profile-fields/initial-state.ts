import { profileFieldTypes } from '@parley/api/kinds'
import type { Snapshot } from '../../snapshot.ts'
import { listProfileFields } from './queries.ts'

export async function profileFieldState({ db, caller }: Snapshot): Promise<object> {
  return {
    custom_profile_fields: await listProfileFields(db, caller.realm_id),
    custom_profile_field_types: profileFieldTypes,
  }
}
