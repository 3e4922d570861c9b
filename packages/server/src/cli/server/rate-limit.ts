import { setRateLimit } from '../../organization/server-settings/actions.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import { withContext } from '../open-context.ts'

const most = 1_000_000

/** `default` brings back RATE_LIMIT. */
export async function changeRateLimit(typed: string): Promise<void> {
  const limit = typed === 'default' ? null : Number(typed)
  if (limit !== null && (!/^\d{1,7}$/.test(typed) || limit > most))
    throw new StartupError(`The rate limit is a whole number from 0 (none) to ${most}, or "default", not "${typed}".`)
  await withContext((ctx) => setRateLimit(ctx, limit))
  console.log(
    limit === null
      ? 'RATE_LIMIT counts again.'
      : `Every user may now send ${limit || 'any number of'} requests a minute.`,
  )
}
