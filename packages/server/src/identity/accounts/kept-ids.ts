import type { SystemGroupName } from '@parley/api/permission-settings'
import type { SystemBot } from '../../people/users/system-bots.ts'

/** Ids that a new organization does not choose itself, because it is an old one that comes back. */
export interface KeptIds {
  realm: number
  groups: Partial<Record<SystemGroupName, number>>
  bots: Partial<Record<SystemBot, number>>
}
