import type { GroupSettingValue } from '@parley/api/common'
import type { QueueEvent } from '@parley/api/events'

/** The user that an event deactivates: no longer in any group or channel. */
export function deactivatedUser(event: QueueEvent): number | undefined {
  if (event.type !== 'realm_user' || event.op !== 'update' || !('is_active' in event.person)) return undefined
  return event.person.is_active ? undefined : event.person.user_id
}

/** The user that an event deactivates or hides from the viewer. */
export function removedUser(event: QueueEvent): number | undefined {
  if (event.type === 'realm_user' && event.op === 'remove') return event.person.user_id
  return deactivatedUser(event)
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
