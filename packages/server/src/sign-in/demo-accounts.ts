import { roles } from '@parley/api/common'
import type { Db } from '../platform/db/pool.ts'

/** Everybody one can be on the demo server, administrators first. */
export async function listDemoAccounts(db: Db, realmId: number, realm_url: string) {
  const accounts = await db
    .selectFrom('users')
    .select(['email', 'role'])
    .where('realm_id', '=', realmId)
    .where('is_active', '=', true)
    .where('bot_type', 'is', null)
    .orderBy('id')
    .execute()
  const shown = (wanted: boolean) =>
    accounts.filter(({ role }) => role <= roles.admin === wanted).map(({ email }) => ({ email, realm_url }))
  return { direct_admins: shown(true), direct_users: shown(false) }
}
