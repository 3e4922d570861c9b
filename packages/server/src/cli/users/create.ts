import { roles } from '@parley/api/roles'
import type { Context } from '../../context.ts'
import { addAccount } from '../../identity/accounts/create-account.ts'
import type { NewUser } from '../../people/users/actions.ts'
import { checkEmail, checkFullName } from '../../people/users/profile/account-fields.ts'
import { matches } from '../../platform/db/matches.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { reasonOf, StartupError } from '../../platform/postgres/startup-error.ts'
import { findRealm, withContext } from '../open-context.ts'
import { type CsvRow, checkEmailsDiffer, readCsv } from './read-csv.ts'
import { readPassword } from './read-password.ts'
import { type RoleName, readRole } from './role-names.ts'

interface CreateOptions {
  name?: string
  role: RoleName
  fromCsv?: string
  keys?: true
  realm?: string
}

export async function createAccounts(email: string | undefined, options: CreateOptions): Promise<void> {
  if (options.fromCsv !== undefined) return createFromCsv(options.fromCsv, options)
  if (email === undefined || options.name === undefined)
    throw new StartupError('Give an email address and --name, or --from-csv with a file of accounts.')
  await createOne(
    { email: checkEmail(email), full_name: checkFullName(options.name), role: roles[options.role] },
    options,
  )
}

async function createOne(account: NewUser, { role, realm: stringId }: CreateOptions): Promise<void> {
  const password = await readPassword(account.email)
  await withContext(async (ctx) => {
    const { id, name } = await findRealm(ctx.db, stringId)
    const { realm } = await ctx.realms.get(id)
    await addAccount(ctx, realm, { ...account, password_hash: await password.hash })
    console.log(`Created the account ${account.email} (${role}) in ${name}.`)
  })
}

/** Checks the whole file first. Accounts that exist already are skipped, so the command can be repeated. */
async function createFromCsv(file: string, { keys, realm: stringId }: CreateOptions): Promise<void> {
  const accounts = await readAccounts(file)
  await withContext(async (ctx) => {
    const { id, name } = await findRealm(ctx.db, stringId)
    const skipped: string[] = []
    for (const [index, account] of accounts.entries()) {
      if (!(await createUnlessTaken(ctx, id, account, keys === true))) skipped.push(account.email)
      if ((index + 1) % 100 === 0) console.error(`${index + 1} of ${accounts.length} …`)
    }
    console.error(`Created ${accounts.length - skipped.length} accounts in ${name}.`)
    if (skipped.length > 0) console.error(`Skipped, because the email is in use: ${skipped.join(', ')}`)
  })
}

async function createUnlessTaken(ctx: Context, realmId: number, account: NewUser, printKey: boolean): Promise<boolean> {
  const { realm } = await ctx.realms.get(realmId)
  const emailIsTaken = (error: unknown) => error instanceof ApiError && error.message.startsWith('Email is already')
  try {
    const user = await addAccount(ctx, realm, account)
    if (printKey) console.log(`${user.email},${await readKey(ctx, realm.id, user.id)}`)
    return true
  } catch (error) {
    if (emailIsTaken(error)) return false
    throw error
  }
}

async function readKey({ db, vault }: Context, realm_id: number, id: number): Promise<string> {
  const account = db.selectFrom('users').select('api_key_sealed').where(matches({ realm_id, id }))
  return vault.open((await account.executeTakeFirstOrThrow()).api_key_sealed)
}

async function readAccounts(file: string): Promise<NewUser[]> {
  const rows = await readCsv(file, 'email,full_name,role', ['email', 'full_name'])
  const accounts = rows.map(readAccount)
  checkEmailsDiffer(accounts, file)
  return accounts
}

function readAccount({ email = '', full_name = '', role = '' }: CsvRow, index: number): NewUser {
  const account = { role: readRole(role, index) }
  try {
    return { ...account, email: checkEmail(email), full_name: checkFullName(full_name) }
  } catch (error) {
    throw new StartupError(`Account ${index + 1} (${email || 'no email'}): ${reasonOf(error)}`)
  }
}
