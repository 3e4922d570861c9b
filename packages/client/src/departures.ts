import type { GroupSettingValue } from '@parley/api/common'
import type { QueueEvent } from '@parley/api/events'

/** The account that an event says is deactivated: it is in no group and no channel from then on. */
export function departed(event: QueueEvent): number | undefined {
  if (event.type !== 'realm_user' || event.op !== 'update' || !('is_active' in event.person)) return undefined
  return event.person.is_active ? undefined : event.person.user_id
}

/** The account of which the viewer sees nothing any more: it is deactivated, or out of their sight. */
export function vanished(event: QueueEvent): number | undefined {
  if (event.type === 'realm_user' && event.op === 'remove') return event.person.user_id
  return departed(event)
}

/** A copy of the object with the user removed from all permissions. */
export function withoutHolder<T extends object>(object: T, userId: number): T {
  const entries = Object.entries(object).map(([name, value]) => [
    name,
    isUnnamed(value) ? { ...value, direct_members: value.direct_members.filter((id) => id !== userId) } : value,
  ])
  return Object.fromEntries(entries) as T
}

function isUnnamed(value: unknown): value is Exclude<GroupSettingValue, number> {
  return typeof value === 'object' && value !== null && 'direct_members' in value
}
