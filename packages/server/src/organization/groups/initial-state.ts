import type { Snapshot } from '../../snapshot.ts'
import { listUserGroups } from './queries.ts'
import { readSettingValues } from './setting-value.ts'

export async function groupState({ db, caller, capabilities }: Snapshot): Promise<object> {
  const includeDeactivated = capabilities.include_deactivated_groups === true
  return { realm_user_groups: await listUserGroups(db, caller.realm_id, { includeDeactivated }) }
}

/** The permission settings of the organization; organization/realms/initial-state.ts has the other settings. */
export async function realmPermissionState({ db, caller }: Snapshot): Promise<object> {
  const { id, permissions } = caller.realm
  const shown = await readSettingValues(db, id, Object.values(permissions))
  return Object.fromEntries(Object.entries(permissions).map(([setting, group]) => [`realm_${setting}`, shown(group)]))
}
