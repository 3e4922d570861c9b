import { isOwner } from '@parley/api/permissions'
import type { Slices } from '@parley/client/store/store'

export const stepNames = ['people', 'channels', 'image', 'email'] as const
export type StepName = (typeof stepNames)[number]

/** With more people, an organization is under way, whatever it left out. */
const mostPeople = 4

/** What an owner could do next in an organization that is nearly empty. */
export function openSteps(
  store: Slices<'channels' | 'realm' | 'users' | 'viewer'>,
  skipped: readonly string[],
): StepName[] {
  const people = [...store.users.byId.values()].filter(({ is_active, is_bot }) => is_active && !is_bot).length
  if (!isOwner(store.viewer) || people > mostPeople) return []
  const { subscribed, neverSubscribed, left } = store.channels
  const { icon_source, logo_source } = store.realm.settings
  const isDone: Record<StepName, boolean> = {
    people: people > 1,
    channels: subscribed.size + neverSubscribed.size + left.size > 1,
    image: icon_source === 'U' || logo_source === 'U',
    email: store.settings.server_sends_email_notifications !== false,
  }
  return stepNames.filter((name) => !isDone[name] && !skipped.includes(name))
}
