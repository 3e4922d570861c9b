import type { PermissionState } from '../../notify/permission.ts'
import type { PushState } from '../../notify/push.ts'
import type { PlainId } from '../../platform/i18n.ts'

/** Whether the browser shows notifications. */
export const permissionTexts: Record<PermissionState, PlainId> = {
  granted: 'notify.permission.granted',
  default: 'notify.permission.default',
  denied: 'notify.permission.denied',
  unsupported: 'notify.permission.unsupported',
}

/** Whether the browser gets pushes. */
export const stateTexts: Record<PushState | 'loading', PlainId> = {
  loading: 'push.state.loading',
  unsupported: 'push.state.unsupported',
  denied: 'push.state.denied',
  off: 'push.state.off',
  on: 'push.state.on',
}
