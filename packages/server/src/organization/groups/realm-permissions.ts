import type { SettingChange } from '@parley/api/organization/groups'
import { type RealmGroupSetting, realmGroupSettings } from '@parley/api/permission-settings'
import type { Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { emitTogether } from '../realms/update-realm.ts'
import { type Changed, changeSettings, deleteFormerGroups, type GroupSettingChange } from './setting-change.ts'

/** Changes the groups that hold permissions of the organization. The realm must be locked (lockRealm). */
export async function changeRealmPermissions(
  tx: Tx,
  realm: Realm,
  params: Partial<Record<RealmGroupSetting, SettingChange>>,
): Promise<Changed<RealmGroupSetting>[]> {
  const changes = (Object.entries(params) as [RealmGroupSetting, SettingChange][]).map(
    ([setting, change]): GroupSettingChange<RealmGroupSetting> => ({
      setting,
      declared: realmGroupSettings[setting],
      current: realm.permissions[setting],
      change,
    }),
  )
  const changed = await changeSettings(tx, realm, changes)
  for (const { setting, group, value } of changed) {
    const changed = matches({ realm_id: realm.id, setting })
    await tx.db.updateTable('realm_permissions').set({ group_id: group }).where(changed).execute()
    emitTogether(tx, { [setting]: value })
  }
  await deleteFormerGroups(tx, changed)
  return changed
}
