import type { RealmGroupSetting } from '@parley/api/permission-settings'
import { mayInRealm } from '@parley/api/permissions'
import { useSlices } from '../session/context.tsx'

/** Whether the viewer holds a permission in the organization. */
export function useMay(setting: RealmGroupSetting): boolean {
  const { viewer, realm } = useSlices('realm', 'viewer')
  return mayInRealm(viewer, realm, setting)
}

export function useMayCreateChannel(): boolean {
  const isPublic = useMay('can_create_public_channel_group')
  const isPrivate = useMay('can_create_private_channel_group')
  return isPublic || isPrivate
}
