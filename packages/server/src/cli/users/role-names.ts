import type { Role } from '@parley/api/common'
import { roles } from '@parley/api/roles'
import { StartupError } from '../../platform/postgres/startup-error.ts'

export type RoleName = keyof typeof roles

export const roleNames = Object.keys(roles) as RoleName[]

/** The role in a line of a CSV file; members if it is empty. */
export function readRole(text: string, index: number, usual: RoleName = 'member'): Role {
  const name = roleNames.find((one) => one === (text || usual))
  if (!name)
    throw new StartupError(`Account ${index + 1}: the role must be one of ${roleNames.join(', ')}, not "${text}".`)
  return roles[name]
}
