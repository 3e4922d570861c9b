import { roles } from '@parley/api/roles'
import { sql } from 'kysely'

/** The rules of isAdmin and isGuest as SQL conditions on users with the alias `u`. */
export const isAdminUser = sql<boolean>`(u.role <= ${sql.lit(roles.admin)})`
export const isGuestUser = sql<boolean>`(u.role = ${sql.lit(roles.guest)})`
