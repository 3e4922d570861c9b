import { readFile } from 'node:fs/promises'
import { roles } from '@parley/api/roles'
import { parse } from 'csv-parse/sync'
import { addAccount } from '../accounts/create-account.ts'
import type { Context } from '../context.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { reasonOf, StartupError } from '../platform/postgres/startup-error.ts'
import { foldCase } from '../platform/text.ts'
import { hashPassword } from '../sign-in/passwords.ts'
import { checkEmail, checkFullName, type NewUser } from '../users/actions.ts'
import { findRealm, withContext } from './open-context.ts'
import { readPassword } from './read-password.ts'
import { type RoleName, roleNames } from './role-names.ts'

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
    await addAccount(ctx, realm, { ...account, password_hash: await hashPassword(password) })
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
    if (printKey) console.log(`${user.email},${await readKey(ctx, user.id)}`)
    return true
  } catch (error) {
    if (emailIsTaken(error)) return false
    throw error
  }
}

async function readKey({ db, vault }: Context, userId: number): Promise<string> {
  const account = db.selectFrom('users').select('api_key_sealed').where('id', '=', userId)
  return vault.open((await account.executeTakeFirstOrThrow()).api_key_sealed)
}

async function readAccounts(file: string): Promise<NewUser[]> {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw new StartupError(`${file} cannot be read (${reasonOf(error)}).`)
  })
  const accounts = rowsOf(text, file).map(readAccount)
  const emails = accounts.map(({ email }) => foldCase(email))
  const repeated = accounts.find(({ email }, index) => emails.indexOf(foldCase(email)) !== index)
  if (repeated) throw new StartupError(`${repeated.email} is listed twice in ${file}: remove one of the lines.`)
  return accounts
}

function rowsOf(text: string, file: string): Record<string, string>[] {
  try {
    const rows = parse(text, { columns: true, bom: true, trim: true, skip_empty_lines: true }) as Record<
      string,
      string
    >[]
    if (rows[0] && rows[0].email !== undefined && rows[0].full_name !== undefined) return rows
  } catch (error) {
    throw new StartupError(`${file} is not a CSV file: ${reasonOf(error)}`)
  }
  throw new StartupError(`${file} needs a first line "email,full_name,role" and a line for each account.`)
}

function readAccount({ email = '', full_name = '', role = '' }: Record<string, string>, index: number): NewUser {
  const roleName = roleNames.find((name) => name === (role || 'member'))
  if (!roleName)
    throw new StartupError(`Account ${index + 1}: the role must be one of ${roleNames.join(', ')}, not "${role}".`)
  try {
    return { email: checkEmail(email), full_name: checkFullName(full_name), role: roles[roleName] }
  } catch (error) {
    throw new StartupError(`Account ${index + 1} (${email || 'no email'}): ${reasonOf(error)}`)
  }
}
