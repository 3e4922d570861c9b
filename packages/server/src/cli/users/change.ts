import { deviceName } from '../../identity/sessions/device-name.ts'
import { listCredentials } from '../../identity/sessions/stored-credentials.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import { findRealm, withDatabase } from '../open-context.ts'
import { type ListOptions, printRows } from '../print-table.ts'
import { addTo, deactivateOne, endSessions, type Places, reactivateOne, setEmail, setRole } from './account-changes.ts'
import { type ChangeOptions, changeAccounts, readTargets } from './change-accounts.ts'
import { findAccount } from './grant.ts'
import { type RoleName, readRole } from './role-names.ts'

const onlyEmails = { header: 'email', read: () => ({}) }

export async function deactivateAccounts(emails: string[], options: ChangeOptions): Promise<void> {
  await changeAccounts(await readTargets(emails, options, onlyEmails), options, deactivateOne)
}

export async function reactivateAccounts(emails: string[], options: ChangeOptions): Promise<void> {
  await changeAccounts(await readTargets(emails, options, onlyEmails), options, reactivateOne)
}

/** The role of a line wins over `--role`. */
export async function setRoles(emails: string[], options: ChangeOptions & { role?: RoleName }): Promise<void> {
  const read = ({ role = '' }: Record<string, string>, index: number) => {
    if (role === '' && options.role === undefined)
      throw new StartupError(`Account ${index + 1} has no role: give --role, or the column role.`)
    return { role: readRole(role, index, options.role) }
  }
  await changeAccounts(await readTargets(emails, options, { header: 'email,role', read }), options, setRole)
}

export async function changeEmails(emails: string[], options: ChangeOptions): Promise<void> {
  const [email, newEmail, ...rest] = emails
  if (rest.length > 0 || (options.csv === undefined && newEmail === undefined))
    throw new StartupError('Give the email address and the new one, or --csv with a file of them.')
  const read = ({ new_email = newEmail ?? '' }: Record<string, string>) => ({ newEmail: new_email })
  const targets = await readTargets(email === undefined ? [] : [email], options, { header: 'email,new_email', read })
  await changeAccounts(targets, options, setEmail)
}

export async function addAccountsTo(
  emails: string[],
  options: ChangeOptions & Partial<Record<'channel' | 'group', string[]>>,
) {
  const places: Places = { channels: options.channel ?? [], groups: options.group ?? [] }
  if (places.channels.length + places.groups.length === 0) throw new StartupError('Give --channel or --group.')
  await changeAccounts(await readTargets(emails, options, { header: 'email', read: () => places }), options, addTo)
}

/** Lists the browser sessions of an account, or ends those of many. */
export async function showSessions(
  emails: string[],
  options: ChangeOptions & ListOptions & { end?: boolean },
): Promise<void> {
  if (options.end) return changeAccounts(await readTargets(emails, options, onlyEmails), options, endSessions)
  const [email, ...rest] = emails
  if (email === undefined || rest.length > 0)
    throw new StartupError('Give one email address, or --end to end the sessions of several.')
  const rows = await withDatabase(async (db) => {
    const realm = await findRealm(db, options.realm)
    return listCredentials(db, realm.id, [await findAccount(db, realm, email)], 'session')
  })
  const shown = rows.map(({ id, user_agent, ip_address, created_at, used_at }) => {
    return { id, device: deviceName(user_agent), ip_address, created: created_at, last_used: used_at }
  })
  printRows(shown, options, `${email} has no browser sessions.`)
}
