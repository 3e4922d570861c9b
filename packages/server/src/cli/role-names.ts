import { roles } from '@parley/api/roles'

export type RoleName = keyof typeof roles

export const roleNames = Object.keys(roles) as RoleName[]
