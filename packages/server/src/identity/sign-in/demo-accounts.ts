import { type Role, roles } from '@parley/api/common'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'

/** The accounts one can sign in with on the demo server. */
export function listDemoPeople(db: Db, realmId: number) {
  return db
    .selectFrom('users')
    .select(['email', 'full_name', 'role'])
    .$narrowType<{ role: Role }>()
    .where(matches({ realm_id: realmId, is_active: true, bot_type: null }))
    .orderBy('id')
    .execute()
}

/** The same; administrators in a list of their own. */
export async function listDemoAccounts(db: Db, realmId: number, realm_url: string) {
  const accounts = await listDemoPeople(db, realmId)
  const listed = (areAdmins: boolean) =>
    accounts.filter(({ role }) => role <= roles.admin === areAdmins).map(({ email }) => ({ email, realm_url }))
  return { direct_admins: listed(true), direct_users: listed(false) }
}
