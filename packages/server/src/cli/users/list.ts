import { roles } from '@parley/api/roles'
import { sql } from 'kysely'
import { isAlive } from '../../identity/sessions/stored-credentials.ts'
import { findRealm, withDatabase } from '../open-context.ts'
import { type ListOptions, printRows } from '../print-table.ts'
import { roleNames } from './role-names.ts'

const sessionCount = sql<number>`(
  select count(*)::integer from credentials c
   where c.realm_id = users.realm_id and c.user_id = users.id and c.kind = 'session' and ${isAlive})`

interface Options extends ListOptions {
  realm?: string
  all?: true
}

export async function listAccounts(options: Options): Promise<void> {
  const accounts = await withDatabase(async (db) => {
    const { id } = await findRealm(db, options.realm)
    const users = db
      .selectFrom('users')
      .select(['id', 'email', 'full_name', 'role', 'is_active', 'bot_type'])
      .select(sessionCount.as('sessions'))
      .where('realm_id', '=', id)
    const shown = options.all ? users : users.where('is_active', '=', true).where('bot_type', 'is', null)
    return shown.orderBy('id').execute()
  })
  const rows = accounts.map(({ role, bot_type, ...account }) => ({
    id: account.id,
    email: account.email,
    name: account.full_name,
    role: roleNames.find((name) => roles[name] === role)!,
    ...(options.all && { bot: bot_type !== null, active: account.is_active }),
    sessions: account.sessions,
  }))
  printRows(rows, options, 'There are no accounts.')
}
