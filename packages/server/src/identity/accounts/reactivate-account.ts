import type { Caller } from '../../callers/caller.ts'
import { emitPersonalPermissions } from '../../conversations/channels/visibility/personal-permissions.ts'
import { emitReturn, readVisibleChannels } from '../../conversations/channels/visibility/visible-channels.ts'
import { accessBot, checkBotLimits, checkMayCreate } from '../../delivery/bots/access.ts'
import { auditBotUpdate } from '../../delivery/bots/actions.ts'
import { emitBotActivity } from '../../delivery/bots/events.ts'
import { readBot } from '../../delivery/bots/queries.ts'
import { transferBot } from '../../delivery/bots/transfer.ts'
import { endQueuesOf } from '../../events/end-queues.ts'
import { lockRealm } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { emitStatus } from '../../people/status/actions.ts'
import { readStatus } from '../../people/status/queries.ts'
import type { LockedAccount, ManagedAccount } from '../../people/users/account-access.ts'
import { reactivate } from '../../people/users/deactivate.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Vault } from '../../platform/secrets.ts'
import { foldCase } from '../../platform/text.ts'
import { changeRoleAndVisibility } from './change-account.ts'
import { forgetSuspension } from './suspensions.ts'

export async function reactivateAccount(tx: Tx, vault: Vault, managed: ManagedAccount): Promise<void> {
  const { actor, target } = managed
  if (target.is_active) return
  if (target.bot_type === null) return reactivatePerson(tx, managed)
  await checkBotReactivation(tx, actor, target)
  await restore(tx, managed)
  await adoptBot(tx, vault, actor, target)
  await accessBot(tx.db, actor, target.id) // with the role that it has now
  await emitAccess(tx, managed)
}

export async function reactivatePerson(tx: Tx, locked: LockedAccount): Promise<void> {
  await restore(tx, locked)
  await emitAccess(tx, locked)
}

/** Ends queues that were registered during the deactivation, so that the reactivation does not revive them. */
async function restore(tx: Tx, { actor, target }: LockedAccount): Promise<void> {
  await endQueuesOf(tx, [target.id])
  await forgetSuspension(tx, target.id)
  await reactivate(tx, actor.realm, target)
}

async function emitAccess(tx: Tx, { actor, target }: LockedAccount): Promise<void> {
  const { viewer } = await readVisibleChannels(tx.db, tx.realmId, target.id)
  await emitReturn(tx, viewer)
  await emitPersonalPermissions(tx, actor.realm, target.id)
  await emitStatus(tx, viewer, await readStatus(tx.db, viewer, target.id))
  await tx.audit(actor.id, 'user_reactivated', { user_id: target.id })
}

async function checkBotReactivation(tx: Tx, actor: Caller, bot: ManagedAccount['target']): Promise<void> {
  checkMayCreate(actor, bot.bot_type!)
  await lockRealm(tx) // of names and limits
  const others = await tx.db
    .selectFrom('users')
    .select('full_name')
    .where('realm_id', '=', tx.realmId)
    .where('is_active', '=', true)
    .where('id', '!=', bot.id)
    .execute()
  if (others.some(({ full_name }) => foldCase(full_name) === foldCase(bot.full_name)))
    throw new ApiError('Name is already in use!')
}

/** A bot whose owner is deactivated is transferred to the user who reactivates it. */
async function adoptBot(tx: Tx, vault: Vault, actor: Caller, bot: ManagedAccount['target']): Promise<void> {
  const owner = await tx.db
    .selectFrom('users')
    .select('is_active')
    .where('realm_id', '=', tx.realmId)
    .where('id', '=', bot.bot_owner_id)
    .executeTakeFirst()
  if (owner?.is_active) await checkBotLimits(tx, bot.bot_owner_id!, bot.id)
  else await giveTo(tx, vault, actor, bot.id)
  await emitBotActivity(tx, actor.realm, [bot.id])
}

async function giveTo(tx: Tx, vault: Vault, actor: Caller, botId: number): Promise<void> {
  const before = (await readBot(tx.db, tx.realmId, botId))!
  await transferBot(tx, { vault, changeRole: changeRoleAndVisibility }, actor, botId, actor.id)
  await auditBotUpdate(tx, actor, before, ['bot_owner_id', 'role', 'api_key'])
}
