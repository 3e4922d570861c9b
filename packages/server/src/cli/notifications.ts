import { readTrail } from '../delivery/notifications/trail-queries.ts'
import { matches } from '../platform/db/matches.ts'
import { emailKey } from '../platform/emails.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { findRealm, withDatabase } from './open-context.ts'
import { type ListOptions, printRows } from './print-table.ts'

/** Prints what became of the notifications of a user about a message. */
export async function explainNotifications(
  user: string,
  message: string,
  { realm, ...options }: ListOptions & { realm?: string },
): Promise<void> {
  const rows = await withDatabase(async (db) => {
    const { id: realm_id } = await findRealm(db, realm)
    if (!isId(message)) throw new StartupError(`"${message}" is not the id of a message.`)
    const named = isId(user)
      ? matches({ realm_id, id: Number(user) })
      : matches({ realm_id, email_key: emailKey(user) })
    const found = await db.selectFrom('users').select('id').where(named).executeTakeFirst()
    if (!found) throw new StartupError(`No account of the organization has the id or email address "${user}".`)
    return readTrail(db, { realm_id, id: found.id }, Number(message))
  })
  const shown = rows.map(({ at, device_id, ...row }) => ({
    at: new Date(at * 1000).toISOString(),
    way: row.way,
    device: device_id,
    outcome: row.outcome,
    reason: row.reason,
    detail: row.detail,
  }))
  printRows(shown, options, 'Nothing was planned: the message concerned the user in no way, or is older than 14 days.')
}

function isId(text: string): boolean {
  return /^\d{1,15}$/.test(text)
}
