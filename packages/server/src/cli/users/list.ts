import { roles } from '@parley/api/roles'
import { sql } from 'kysely'
import { isAlive } from '../../identity/sessions/stored-credentials.ts'
import { findRealm, withDatabase } from '../open-context.ts'
import { roleNames } from './role-names.ts'

const sessionCount = sql<number>`(
  select count(*)::integer from credentials c
   where c.realm_id = users.realm_id and c.user_id = users.id and c.kind = 'session' and ${isAlive})`

/** Prints one tab-separated line for each account: id, email, full name, role, notes. */
export async function listAccounts({ realm, all }: { realm?: string; all?: true }): Promise<void> {
  const accounts = await withDatabase(async (db) => {
    const { id } = await findRealm(db, realm)
    const users = db
      .selectFrom('users')
      .select(['id', 'email', 'full_name', 'role', 'is_active', 'bot_type'])
      .select(sessionCount.as('sessions'))
      .where('realm_id', '=', id)
    return (all ? users : users.where('is_active', '=', true).where('bot_type', 'is', null)).orderBy('id').execute()
  })
  for (const { id, email, full_name, role, is_active, bot_type, sessions } of accounts) {
    const roleName = roleNames.find((name) => roles[name] === role)
    const remarks = [bot_type !== null && 'bot', !is_active && 'deactivated', sessions > 0 && `sessions: ${sessions}`]
    console.log([id, email, full_name, roleName, ...remarks.filter(Boolean)].join('\t'))
  }
}
