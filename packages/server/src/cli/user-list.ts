import { roles } from '@parley/api/roles'
import { findRealm, withDatabase } from './open-context.ts'
import { roleNames } from './role-names.ts'

/** Prints one tab-separated line for each account: id, email, full name, role, notes. */
export async function listAccounts({ realm, all }: { realm?: string; all?: true }): Promise<void> {
  const accounts = await withDatabase(async (db) => {
    const { id } = await findRealm(db, realm)
    const users = db
      .selectFrom('users')
      .select(['id', 'email', 'full_name', 'role', 'is_active', 'bot_type'])
      .where('realm_id', '=', id)
    return (all ? users : users.where('is_active', '=', true).where('bot_type', 'is', null)).orderBy('id').execute()
  })
  for (const { id, email, full_name, role, is_active, bot_type } of accounts) {
    const roleName = roleNames.find((name) => roles[name] === role)
    const remarks = [...(bot_type === null ? [] : ['bot']), ...(is_active ? [] : ['deactivated'])]
    console.log([id, email, full_name, roleName, ...remarks].join('\t'))
  }
}
