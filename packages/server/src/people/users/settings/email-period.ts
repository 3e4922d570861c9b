import { userSettings } from '@parley/api/settings'
import { sql } from 'kysely'
import type { Fragment } from '../../../platform/db/fragment.ts'

const period = sql.lit('email_notifications_batching_period_seconds')
const usual = userSettings.email_notifications_batching_period_seconds.default

/** When user `u` is due an email about a new message: messages collect for as long as the user chose. */
export const emailDueAt: Fragment = sql`
  now() + make_interval(secs => coalesce((u.settings ->> ${period})::integer, ${sql.lit(usual)}))`
