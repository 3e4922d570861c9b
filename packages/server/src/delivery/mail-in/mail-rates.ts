import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'
import { MailRefused } from './mail-refused.ts'
import type { Mailbox } from './mailbox.ts'

/** Of one user, in a minute. */
const mostReplies = 20
/** Of one channel, in 1, 5 and 60 minutes. */
const mostForChannel = [50, 120, 600] as const

/** Throws for more emails than people write. The sender's mail server delivers the email later. */
export async function checkRate(db: Db, mailbox: Mailbox): Promise<void> {
  const isTooMuch = mailbox.columns.channel_id === undefined ? isBusyUser(db, mailbox) : isBusyChannel(db, mailbox)
  if (await isTooMuch) throw new MailRefused(451, '4.7.1', 'Too many emails in a short time; try again later.')
}

async function isBusyUser(db: Db, { realmId, columns: { user_id } }: Mailbox): Promise<boolean> {
  const { total } = await one<{ total: number }>(db)`
    select count(*) as total from incoming_emails
     where realm_id = ${realmId} and user_id = ${user_id} and channel_id is null
       and received_at > now() - interval '1 minute'`
  return total >= mostReplies
}

async function isBusyChannel(db: Db, { realmId, columns: { channel_id } }: Mailbox): Promise<boolean> {
  const lately = (minutes: number) =>
    sql`count(*) filter (where received_at > now() - make_interval(mins => ${minutes}))`
  const { minute, five, hour } = await one<{ minute: number; five: number; hour: number }>(db)`
    select ${lately(1)} as minute, ${lately(5)} as five, count(*) as hour from incoming_emails
     where realm_id = ${realmId} and channel_id = ${channel_id!} and received_at > now() - interval '1 hour'`
  return minute >= mostForChannel[0] || five >= mostForChannel[1] || hour >= mostForChannel[2]
}
