import { roles } from '@parley/api/common'

export type RoleName = keyof typeof roles

export const roleNames = Object.keys(roles) as RoleName[]
