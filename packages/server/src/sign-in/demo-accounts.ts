import { roles } from '@parley/api/common'
import type { Db } from '../platform/db/pool.ts'

/** The accounts one can sign in with on the demo server; administrators in a list of their own. */
export async function listDemoAccounts(db: Db, realmId: number, realm_url: string) {
  const accounts = await db
    .selectFrom('users')
    .select(['email', 'role'])
    .where('realm_id', '=', realmId)
    .where('is_active', '=', true)
    .where('bot_type', 'is', null)
    .orderBy('id')
    .execute()
  const listed = (areAdmins: boolean) =>
    accounts.filter(({ role }) => role <= roles.admin === areAdmins).map(({ email }) => ({ email, realm_url }))
  return { direct_admins: listed(true), direct_users: listed(false) }
}
