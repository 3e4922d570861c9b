import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Context, transactIn } from '../../context.ts'
import { runFrom } from '../../events/origin.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'
import { emailKey } from '../../platform/emails.ts'
import { networkOf } from '../../platform/http/network.ts'
import type { Job } from '../../platform/jobs/tasks.ts'
import { hashKey } from '../../platform/secrets.ts'
import { isWithinNoticeLimit } from '../passwords/attempt-limit.ts'
import { deviceName } from './device-name.ts'

declare module '../../platform/jobs/tasks.ts' {
  interface Tasks {
    report_failed_sign_ins: { email: string; ip_address: string }
    audit_failed_sign_in: { email: string; ip_address: string; device: string }
  }
}

/** How a user proved who they are. */
export type SignInMethod = 'password' | 'passkey' | 'ldap' | 'oidc' | 'saml' | 'jwt' | 'header' | 'demo'

/** Records, audits and logs a complete sign-in. */
export async function recordSignedIn(
  ctx: Context,
  request: FastifyRequest,
  { id, realm_id }: { id: number; realm_id: number },
  method: SignInMethod,
): Promise<void> {
  await transactIn(ctx, realm_id, async (tx) => {
    if (method !== 'demo') await recordSignIn(tx, id, request)
    await tx.audit(id, 'signed_in', { user_id: id, device: deviceOf(request), method })
  })
  ctx.log.info({ realm: realm_id, user: id, method, ...sourceOf(request) }, 'signed in')
}

function sourceOf(request: FastifyRequest): object {
  return { request_id: request.id, device: deviceOf(request), ip: request.ip }
}

function deviceOf({ headers }: FastifyRequest): string {
  return deviceName(headers['user-agent'] ?? '')
}

/** What happens when an attempt to sign in fails. Jobs do it, so that the time does not reveal whether the account exists. */
export function failureReports(ctx: Context, request: FastifyRequest, realmId: number, email: string) {
  const ip_address = request.ip
  const failed = { email, ip_address, device: deviceOf(request) }
  return {
    failuresPerAddress: ctx.config.signInFailures,
    onFailure: () => {
      // Without the email: people type passwords there. deploy/fail2ban-parley.conf reads this line.
      ctx.log.info({ realm: realmId, ...sourceOf(request) }, 'sign-in refused')
      return transactIn(ctx, realmId, (tx) => tx.enqueue('audit_failed_sign_in', failed))
    },
    onLimit: () => transactIn(ctx, realmId, (tx) => tx.enqueue('report_failed_sign_ins', { email, ip_address })),
  }
}

/** Records from where the user signed in, and reports a new device or network, except for the first one. */
async function recordSignIn(tx: Tx, userId: number, { headers, ip }: FastifyRequest): Promise<void> {
  const device = deviceName(headers['user-agent'] ?? '')
  const place = hashKey(`${device} ${networkOf(ip)}`)
  const { is_new, wants_notice } = await one<{ is_new: boolean; wants_notice: boolean }>(tx.db)`
    insert into sign_in_places (realm_id, user_id, place_hash) values (${tx.realmId}, ${userId}, ${place})
    on conflict (realm_id, user_id, place_hash) do update set seen_at = now()
    returning xmax = 0 as is_new,
              exists (select 1 from sign_in_places p where p.realm_id = ${tx.realmId} and p.user_id = ${userId}) and
              (select coalesce((settings ->> 'enable_login_emails')::boolean, true) from users
                where realm_id = ${tx.realmId} and id = ${userId})
              as wants_notice`
  if (!is_new || !wants_notice) return
  const at = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`
  await tx.enqueue('send_mail', { user_id: userId, template: 'new_sign_in', device, ip_address: ip, at })
}

/** Enqueued for every email, whether or not it has an account, so that the time of the answer does not reveal it. */
export async function reportFailedSignIns(ctx: Context, job: Job<'report_failed_sign_ins'>): Promise<void> {
  const { realm_id, email } = job
  const account = matches({ realm_id, email_key: emailKey(email), is_active: true, bot_type: null })
  const user = await ctx.db.selectFrom('users').select('id').where(account).executeTakeFirst()
  if (!user || !(await isWithinNoticeLimit(ctx.db, job.realm_id, user.id))) return
  const notice = { user_id: user.id, template: 'failed_sign_ins', ip_address: job.ip_address } as const
  await transactIn(ctx, job.realm_id, (tx) => tx.enqueue('send_mail', notice))
}

export async function deleteOldSignInPlaces(db: Database): Promise<void> {
  await sql`delete from sign_in_places where seen_at < now() - interval '1 year'`.execute(db)
}

/** As a job, so that a failed sign-in takes the same time whether or not the account exists. */
export async function auditFailedSignIn(ctx: Context, job: Job<'audit_failed_sign_in'>): Promise<void> {
  const { realm_id, email, ip_address, device } = job
  const user = await ctx.db
    .selectFrom('users')
    .select('id')
    .where('realm_id', '=', realm_id)
    .where('email_key', '=', emailKey(email))
    .where('is_system_bot', '=', false)
    .executeTakeFirst()
  if (!user) return
  await runFrom(
    () => ({ via: 'request', credential_id: null, ip_address }),
    () => transactIn(ctx, realm_id, (tx) => tx.audit(null, 'sign_in_failed', { user_id: user.id, device })),
  )
}
