import { sql } from 'kysely'
import type { Database, Db } from '../../../platform/db/pool.ts'
import { many, maybeOne, one } from '../../../platform/db/query.ts'
import type { MailOutcome } from '../accepted-emails.ts'
import { deliveryStatusIn } from './delivery-status.ts'

export interface Owner {
  realmId: number
  userId: number
}

/** This often in the time, an address that refuses emails is dead. One that does not exist is so at once. */
const mostFailures = 3
const failureDays = 7

/** What says something about the address: no such mailbox, disabled or full. Refusals of texts or of senders do not. */
const aboutAddress = /^5\.(0\.0|1\.(1|2|3|6|10)|2\.[0-9])$/

/** Records that an email to a user came back. What does not concern their address is only kept. */
export async function recordBounce(
  db: Database,
  { realmId, userId }: Owner,
  { status, detail }: { status: string; detail: string },
): Promise<void> {
  const isPermanent = aboutAddress.test(status)
  await sql`
    with added as (
      insert into email_bounces (realm_id, user_id, email, status, detail)
      select realm_id, id, email, ${status.slice(0, 20)}, ${detail.slice(0, 200)} from users
       where realm_id = ${realmId} and id = ${userId}
      returning email, status, detail
    )
    insert into dead_emails (realm_id, user_id, email, status, detail)
    select ${realmId}, ${userId}, a.email, a.status, a.detail from added a
     where ${isPermanent} and (a.status like '5.1.%'
           or (select count(*) from email_bounces b
                where b.realm_id = ${realmId} and b.user_id = ${userId} and b.email = a.email and b.status ~ ${aboutAddress.source}
                  and b.at > now() - make_interval(days => ${failureDays})) >= ${mostFailures - 1})
    on conflict (realm_id, user_id) do update
       set email = excluded.email, status = excluded.status, detail = excluded.detail, since = now()`.execute(db)
}

/** Handles what arrived at the return path of an email. */
export async function takeReport(db: Database, owner: Owner, raw: Buffer): Promise<MailOutcome> {
  const report = deliveryStatusIn(raw)
  if (!report) return { outcome: 'dropped', reason: 'it is no report about the delivery of an email' }
  const isBounce = report.action === 'failed' || report.action === 'delayed'
  // A delay is no failure, whatever status it names.
  const status = report.action === 'delayed' ? report.status.replace(/^5/, '4') : report.status
  if (isBounce) await recordBounce(db, owner, { ...report, status })
  return { outcome: 'dropped', reason: `a report: ${report.action}, ${report.status}` }
}

export interface DeadEmail {
  email: string
  status: string
  detail: string
  since: number
}

/** Why a user gets no emails about messages; undefined: they do. Another address is not concerned. */
export function findDeadEmail(db: Db, { realmId, userId }: Owner): Promise<DeadEmail | undefined> {
  return maybeOne<DeadEmail>(db)`
    select d.email, d.status, d.detail, extract(epoch from d.since)::integer as since
      from dead_emails d join users u on u.realm_id = d.realm_id and u.id = d.user_id and u.email = d.email
     where d.realm_id = ${realmId} and d.user_id = ${userId}`
}

/** The choice of users whose email nobody sees: mail servers quote it. */
const hiddenFromAll = 4

/** For administrators: whose emails come back. */
export function listDeadEmails(
  db: Db,
  realmId: number,
): Promise<{ user_id: number; status: string; detail: string; since: number }[]> {
  return many<{ user_id: number; status: string; detail: string; since: number }>(db)`
    select d.user_id, d.status, extract(epoch from d.since)::integer as since,
           case when coalesce((u.settings ->> 'email_address_visibility')::integer, 1) = ${hiddenFromAll} then '' else d.detail end as detail
      from dead_emails d
      join users u on u.realm_id = d.realm_id and u.id = d.user_id and u.email = d.email and u.is_active
     where d.realm_id = ${realmId} order by d.since desc, d.user_id limit 1000`
}

/** The user says that the address works again. What came back before does not count any more. */
export async function reviveEmail(db: Database, { realmId, userId }: Owner): Promise<boolean> {
  const { count } = await one<{ count: number }>(db)`
    with forgotten as (
      delete from email_bounces where realm_id = ${realmId} and user_id = ${userId}
    ), revived as (
      delete from dead_emails where realm_id = ${realmId} and user_id = ${userId} returning 1
    )
    select count(*) as count from revived`
  return count > 0
}

const keptDays = 30

export async function deleteOldBounces(db: Database): Promise<void> {
  await sql`delete from email_bounces where at < now() - make_interval(days => ${keptDays})`.execute(db)
}
