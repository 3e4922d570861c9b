import type { Db } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'
import { MailRefused } from './mail-refused.ts'

/** Replies of one user in a minute. */
const repliesPerMinute = 20

/** Throws for more than a person writes. The sender's mail server delivers the email later. */
export async function checkRate(db: Db, realmId: number, userId: number): Promise<void> {
  const { total } = await one<{ total: number }>(db)`
    select count(*) as total from incoming_emails
     where realm_id = ${realmId} and user_id = ${userId} and received_at > now() - interval '1 minute'`
  if (total >= repliesPerMinute)
    throw new MailRefused(451, '4.7.1', 'Too many emails in a short time; try again later.')
}
