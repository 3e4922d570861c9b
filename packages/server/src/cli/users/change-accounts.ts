import type { Context } from '../../context.ts'
import { transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { accessPerson } from '../../people/users/account-access.ts'
import { NoSuchUser } from '../../people/users/queries.ts'
import { matches } from '../../platform/db/matches.ts'
import { emailKey } from '../../platform/emails.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import { findRealm, withContext } from '../open-context.ts'
import { startProgress } from '../progress.ts'
import type { AccountChange } from './account-changes.ts'
import { checkEmailsDiffer, readCsv } from './read-csv.ts'

export interface ChangeOptions {
  csv?: string
  dryRun?: boolean
  realm?: string
}

interface Target {
  email: string
}

/** The accounts of the arguments, or of the lines of a CSV file, with what else `read` finds in a line. */
export async function readTargets<Given extends object>(
  emails: string[],
  { csv }: ChangeOptions,
  { header, read }: { header: string; read: (row: Record<string, string>, index: number) => Given },
): Promise<(Target & Given)[]> {
  if ((csv === undefined) === (emails.length === 0))
    throw new StartupError('Give email addresses, or --csv with a file of them.')
  if (csv === undefined) return emails.map((email, index) => ({ ...read({}, index), email }))
  const rows = await readCsv(csv, header, ['email'])
  const targets = rows.map((row, index) => ({ ...read(row, index), email: row.email! }))
  checkEmailsDiffer(targets, csv)
  return targets
}

/**
 * Changes accounts one after the other, each in its own transaction and by the rules of the API. Those that are refused
 * are named, and the others are changed, so the command can be repeated. A dry run changes nothing.
 */
export async function changeAccounts<Given extends Target>(
  targets: Given[],
  { dryRun = false, realm: stringId }: ChangeOptions,
  change: AccountChange<Given>,
): Promise<void> {
  await withContext(async (ctx) => {
    const { id } = await findRealm(ctx.db, stringId)
    const one = (tx: Tx, target: Given) => changeOne(tx, ctx, target, change)
    const refused = await (dryRun ? rehearse : changeEach)(ctx, id, targets, one)
    if (dryRun) console.log('Nothing was changed: this was a dry run.')
    if (refused > 0) process.exitCode = 1
  })
}

type ChangeOne<Given> = (tx: Tx, target: Given) => Promise<string | undefined>

async function changeEach<Given extends Target>(
  ctx: Context,
  realmId: number,
  targets: Given[],
  change: ChangeOne<Given>,
): Promise<number> {
  const progress = startProgress('accounts', targets.length)
  let refused = 0
  for (const target of targets) {
    if (!(await report(target, () => transactIn(ctx, realmId, (tx) => change(tx, target))))) refused++
    progress.add(1)
  }
  progress.end()
  return refused
}

class DryRun extends Error {}

/** In one transaction that is rolled back, so that each line sees what those before it would have done. */
async function rehearse<Given extends Target>(
  ctx: Context,
  realmId: number,
  targets: Given[],
  change: ChangeOne<Given>,
): Promise<number> {
  let refused = 0
  const all = async (tx: Tx) => {
    for (const target of targets) if (!(await report(target, () => change(tx, target)))) refused++
    throw new DryRun()
  }
  await transactIn(ctx, realmId, all).catch((error) => {
    if (!(error instanceof DryRun)) throw error
  })
  return refused
}

/** Prints what was done, or why it was refused. Returns whether it was not refused. */
async function report({ email }: Target, change: () => Promise<string | undefined>): Promise<boolean> {
  try {
    console.log(`${email}: ${(await change()) ?? 'nothing to do'}`)
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    console.error(`${email}: refused: ${error.message}`)
    return false
  }
}

async function changeOne<Given extends Target>(
  tx: Tx,
  ctx: Context,
  given: Given,
  change: AccountChange<Given>,
): Promise<string | undefined> {
  const named = matches({ realm_id: tx.realmId, email_key: emailKey(given.email) })
  const user = await tx.db.selectFrom('users').select(['id', 'bot_type']).where(named).executeTakeFirst()
  if (!user) throw new NoSuchUser()
  if (user.bot_type !== null) throw new ApiError('This is a bot: its owner and administrators change it in Parley.')
  return change(tx, ctx, await accessPerson(tx, user.id), given)
}
