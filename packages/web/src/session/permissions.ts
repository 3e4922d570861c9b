import type { GroupSettingValue } from '@parley/api/common'
import { lookup } from '@parley/api/lookup'
import type { Store } from '@parley/client/store'

/** Whether the viewer is in the group that an organization setting names. */
export function mayInRealm({ realm, groups, settings }: Store, name: string): boolean {
  const viewer = settings.user_id as number
  const value = lookup(realm.settings, name) as GroupSettingValue | undefined
  if (value === undefined) return false
  if (typeof value === 'number') return groups.holds(value, viewer)
  return value.direct_members.includes(viewer) || value.direct_subgroups.some((id) => groups.holds(id, viewer))
}
