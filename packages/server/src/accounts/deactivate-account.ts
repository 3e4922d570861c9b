import { accessBot } from '../bots/access.ts'
import { deactivateBot } from '../bots/actions.ts'
import { emitBotActivity } from '../bots/events.ts'
import { emitPersonalPermissions } from '../channels/visibility/personal-permissions.ts'
import type { Context } from '../context.ts'
import type { Tx } from '../events/transact.ts'
import { revokeInvitationsOf } from '../invitations/actions.ts'
import { deletePresence } from '../presence/actions.ts'
import type { LockedAccount, ManagedAccount } from '../users/account-access.ts'
import { deactivate } from '../users/deactivate.ts'
import { restrictedGuests } from '../users/visible-users.ts'
import { revokeKeys } from './revoke-keys.ts'

/** Deactivates the account and revokes its keys, which stay invalid after a reactivation. */
export async function deactivateAccount(tx: Tx, { vault }: Context, managed: LockedAccount): Promise<void> {
  const { actor, target, botIds } = managed
  await revokeKeys(tx, { vault, realm: actor.realm, actorId: actor.id }, [target.id, ...botIds])
  await deactivate(tx, managed)
  await emitBotActivity(tx, actor.realm, botIds)
  await deletePresence(tx, target.id)
  await revokeInvitationsOf(tx, target.id)
  const guests = await restrictedGuests(tx.db, actor.realm, target.id)
  if (guests.length > 0) await emitPersonalPermissions(tx, actor.realm, target.id, guests)
  await tx.audit(actor.id, 'user_deactivated', { user_id: target.id, bot_ids: botIds })
}

export async function deactivateManagedBot(
  tx: Tx,
  { vault }: Context,
  { actor, target }: ManagedAccount,
): Promise<void> {
  const bot = await accessBot(tx.db, actor, target.id)
  await revokeKeys(tx, { vault, realm: actor.realm, actorId: actor.id }, [bot.id])
  await deactivateBot(tx, actor, bot)
}
