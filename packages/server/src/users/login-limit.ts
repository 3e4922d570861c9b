import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'

/** How many attempts are allowed in how many minutes. */
interface Allowance {
  key: string
  failures: number
  minutes: number
}

/** What a sign-in counts against: guessing from one network, and guessing at one account, whether or not it exists. */
function allowances(realmId: number, emailKey: string, network: string): Allowance[] {
  const account = createHash('sha256').update(emailKey).digest('base64url')
  return [
    { key: `address ${network}`, failures: 20, minutes: 15 },
    { key: `account ${realmId} ${account}`, failures: 5, minutes: 30 },
  ]
}

/**
 * Counts a sign-in as failed before the password is looked at, so that many guesses at once do not slip through
 * together. Throws when there were too many; returns what takes this one back, for when it did not fail after all.
 */
export async function countSignIn(
  db: Db,
  realmId: number,
  emailKey: string,
  network: string,
): Promise<() => Promise<void>> {
  const counted = allowances(realmId, emailKey, network)
  for (const allowance of counted) await count(db, allowance)
  return () => takeBack(db, counted)
}

/** Counts a mail that an account has us send to an address that need not be its own. */
export function countEmailRequest(db: Db, realmId: number, userId: number): Promise<void> {
  return count(db, { key: `email ${realmId} ${userId}`, failures: 5, minutes: 60 })
}

async function count(db: Db, { key, failures, minutes }: Allowance): Promise<void> {
  const { rows } = await sql<{ failures: number; wait: number }>`
    insert into login_failures as f (key, failures, window_start) values (${key}, 1, now())
    on conflict (key) do update
       set failures = case when f.window_start > now() - make_interval(mins => ${minutes})
                           then least(f.failures, ${failures}) + 1 else 1 end,
           window_start = case when f.window_start > now() - make_interval(mins => ${minutes})
                               then f.window_start else now() end
    returning f.failures,
              extract(epoch from f.window_start + make_interval(mins => ${minutes}) - now())::float8 as wait`.execute(
    db,
  )
  const [row] = rows
  if (row!.failures > failures) throw tooManyFailures(row!.wait)
}

function tooManyFailures(wait: number): ApiError {
  return new ApiError('Too many attempts; try again later.', 'RATE_LIMIT_HIT', {
    fields: { 'retry-after': wait },
    headers: { 'Retry-After': String(Math.ceil(wait)) },
  })
}

async function takeBack(db: Db, counted: Allowance[]): Promise<void> {
  for (const { key } of counted)
    await sql`update login_failures set failures = greatest(failures - 1, 0) where key = ${key}`.execute(db)
}

/** Forgets failures that no longer count. */
export async function forgetOldFailures(db: Db): Promise<void> {
  await sql`delete from login_failures where window_start < now() - interval '1 hour'`.execute(db)
}
