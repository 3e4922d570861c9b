import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Db } from '../../platform/db/pool.ts'
import { many, one } from '../../platform/db/query.ts'
import { FairQueue } from '../../platform/fair-queue.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/** How many failures are allowed in how many minutes. */
interface Allowance {
  key: string
  failures: number
  minutes: number
}

/** An attempt to sign in to an account, which may not exist. */
export interface Attempt {
  realmId: number
  emailKey: string
  /** The IP address, or the network of an IPv6 address. */
  network: string
  /** How many failures one network may have, summed over all accounts. */
  failuresPerAddress: number
  /** The password was right, so guesses are those of an attacker who knows it: they count wherever they come from. */
  isSecondFactor?: boolean
  /** Called after every failure, whether or not there is such an account. */
  onFailure?: () => Promise<void>
  /** Called when the last allowed guess has failed. */
  onLimit?: () => Promise<void>
}

/**
 * Failures are counted per account and IP address, so that an attacker cannot lock users out of their accounts. The
 * higher limits per account and per IP address only stop obvious attacks.
 */
function allowancesOf({ realmId, emailKey, network, failuresPerAddress, isSecondFactor }: Attempt): Allowance[] {
  const account = `${realmId} ${createHash('sha256').update(emailKey).digest('base64url')}`
  if (isSecondFactor) return [{ key: `second factor ${account}`, failures: 10, minutes: 30 }]
  return [
    { key: `guesses ${account} ${network}`, failures: 5, minutes: 30 },
    { key: `account ${account}`, failures: 100, minutes: 30 },
    { key: `address ${network}`, failures: failuresPerAddress, minutes: 15 },
  ]
}

/** Attempts on one account from one IP address run one at a time, so that parallel guesses cannot exceed the limit. */
const attempts = new FairQueue({
  concurrency: Infinity,
  concurrencyPerOwner: 1,
  waitingPerOwner: 500,
  waitingInTotal: 5000,
})

/**
 * Runs `verify`, which throws `Failure` if the password is wrong. Only that counts as a failure; waiting and refused
 * attempts do not.
 */
export function limitGuesses<T>(
  db: Database,
  attempt: Attempt,
  Failure: new () => Error,
  verify: () => Promise<T>,
): Promise<T> {
  const allowances = allowancesOf(attempt)
  return attempts.run(allowances[0]!.key, async () => {
    await checkAllowances(db, allowances)
    try {
      return await verify()
    } catch (error) {
      if (error instanceof Failure) await countFailures(db, attempt, allowances)
      throw error
    }
  })
}

async function checkAllowances(db: Db, allowances: Allowance[]): Promise<void> {
  const rows = await many<{ key: string; failures: number; age: number }>(db)`
    select key, failures, extract(epoch from now() - window_start)::float8 as age from login_failures
     where key = any(${allowances.map(({ key }) => key)}::text[])`
  for (const { key, failures, minutes } of allowances) {
    const row = rows.find((one) => one.key === key)
    const wait = row ? minutes * 60 - row.age : 0
    if (wait > 0 && row!.failures >= failures) throw tooManyFailures(wait)
  }
}

/** Limits how many emails a user can make the server send to email addresses that may not be theirs. */
export async function countEmailRequest(db: Database, realmId: number, userId: number): Promise<void> {
  const allowance = { key: `email ${realmId} ${userId}`, failures: 5, minutes: 60 }
  await checkAllowances(db, [allowance])
  await countFailure(db, allowance)
}

/** Limits how many emails people who sign up can make the server send. An office may sign up all at once. */
export async function countSignUpRequest(
  db: Database,
  realmId: number,
  emailKey: string,
  network: string,
): Promise<void> {
  const email = createHash('sha256').update(emailKey).digest('base64url')
  const allowances = [
    { key: `sign-up ${realmId} ${email}`, failures: 5, minutes: 60 },
    { key: `sign-ups ${network}`, failures: 300, minutes: 60 },
  ]
  await checkAllowances(db, allowances)
  for (const allowance of allowances) await countFailure(db, allowance)
}

/** Limits how many emails to possible accounts one network can make the server send. */
export async function countResetRequest(db: Database, network: string): Promise<void> {
  const allowance = { key: `reset ${network}`, failures: 30, minutes: 60 }
  await checkAllowances(db, [allowance])
  await countFailure(db, allowance)
}

async function countFailures(
  db: Database,
  { onFailure, onLimit }: Attempt,
  [guesses, ...others]: Allowance[],
): Promise<void> {
  for (const allowance of others) await countFailure(db, allowance)
  if ((await countFailure(db, guesses!)) === guesses!.failures) await onLimit?.()
  await onFailure?.()
}

/** Limits the notices about failed sign-ins to one user to one an hour. */
export async function isWithinNoticeLimit(db: Database, realmId: number, userId: number): Promise<boolean> {
  return (await countFailure(db, { key: `notice ${realmId} ${userId}`, failures: 1, minutes: 60 })) === 1
}

/** The failures in this window, including this one. */
async function countFailure(db: Database, { key, minutes }: Allowance): Promise<number> {
  const { failures } = await one<{ failures: number }>(db)`
    insert into login_failures as f (key, failures, window_start) values (${key}, 1, now())
    on conflict (key) do update
       set failures = case when f.window_start > now() - make_interval(mins => ${minutes}) then f.failures + 1 else 1 end,
           window_start = case when f.window_start > now() - make_interval(mins => ${minutes})
                               then f.window_start else now() end
    returning failures`
  return failures
}

function tooManyFailures(wait: number): ApiError {
  return new ApiError('Too many attempts; try again later.', 'RATE_LIMIT_HIT', {
    fields: { 'retry-after': wait },
    headers: { 'Retry-After': String(Math.ceil(wait)) },
  })
}

/** Deletes failures older than every limit's window. */
export async function deleteOldFailures(db: Database): Promise<void> {
  await sql`delete from login_failures where window_start < now() - interval '1 hour'`.execute(db)
}
