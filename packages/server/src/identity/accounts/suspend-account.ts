import { roles } from '@parley/api/common'
import { sql } from 'kysely'
import { type Context, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { accessPerson, checkDeactivation, checkOwner, type ManagedAccount } from '../../people/users/account-access.ts'
import { many } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { endAccess } from './deactivate-account.ts'
import { reactivatePerson } from './reactivate-account.ts'
import { forgetSuspension, isSuspended, storeSuspension } from './suspensions.ts'

const longestSeconds = 366 * 86_400

/** Deactivates the account until a time. To clients it is a deactivated account. */
export async function suspendAccount(tx: Tx, ctx: Context, managed: ManagedAccount, until: number): Promise<void> {
  const { actor, target, botIds } = managed
  checkEnd(until)
  if (target.id === actor.id) throw new ApiError('You cannot suspend yourself.')
  if (target.bot_type !== null) throw new ApiError('Bots cannot be suspended. Deactivate the bot instead.')
  if (await isSuspended(tx, target.id)) checkSuspended(managed)
  else {
    checkDeactivation(managed)
    await endAccess(tx, ctx, managed)
  }
  await storeSuspension(tx, target.id, actor.id, new Date(until * 1000))
  await tx.audit(actor.id, 'user_suspended', { user_id: target.id, bot_ids: botIds, until })
}

function checkEnd(until: number): void {
  const seconds = until - Date.now() / 1000
  if (seconds <= 0) throw new ApiError('The end of a suspension must be in the future.')
  if (seconds > longestSeconds) throw new ApiError('A suspension can last at most a year. Deactivate the user instead.')
}

function checkSuspended({ actor, target }: ManagedAccount): void {
  if (target.role === roles.owner) checkOwner(actor)
}

/** Deactivating a suspended account makes that permanent. */
export async function makePermanent(tx: Tx, { actor, target }: ManagedAccount): Promise<void> {
  if (target.role === roles.owner) checkOwner(actor)
  await forgetSuspension(tx, target.id)
  await tx.audit(actor.id, 'user_deactivated', { user_id: target.id, bot_ids: [] })
}

/** Reactivates the accounts whose suspension is over. Runs every minute. */
export async function endSuspensions(ctx: Context): Promise<void> {
  const due = await many<{ realm_id: number; user_id: number }>(ctx.db)`
    select s.realm_id, s.user_id from suspensions s join realms r on r.id = s.realm_id
     where s.ends_at <= now() and not r.deactivated order by s.ends_at limit 1000`
  for (const { realm_id, user_id } of due) await transactIn(ctx, realm_id, (tx) => endSuspension(tx, user_id))
}

/** Another user may have changed the end, or deactivated the account for good, in the meantime. */
async function endSuspension(tx: Tx, userId: number): Promise<void> {
  const locked = await accessPerson(tx, userId)
  const own = sql<boolean>`realm_id = ${tx.realmId} and user_id = ${userId} and ends_at <= now()`
  const ended = await tx.db.deleteFrom('suspensions').where(own).returning('user_id').executeTakeFirst()
  if (!ended || locked.target.is_active) return
  await reactivatePerson(tx, locked)
  await tx.audit(null, 'suspension_ended', { user_id: userId })
}
