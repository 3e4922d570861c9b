import type { Context } from '../../context.ts'
import { emitPersonalPermissions } from '../../conversations/channels/visibility/personal-permissions.ts'
import { accessBot } from '../../delivery/bots/access.ts'
import { deactivateBot } from '../../delivery/bots/actions.ts'
import { emitBotActivity } from '../../delivery/bots/events.ts'
import type { Tx } from '../../events/transact.ts'
import { deletePresence } from '../../people/presence/actions.ts'
import type { LockedAccount, ManagedAccount } from '../../people/users/account-access.ts'
import { deactivate } from '../../people/users/deactivate.ts'
import { restrictedGuests } from '../../people/users/visibility/visible-users.ts'
import { revokeInvitationsOf } from '../invitations/actions.ts'
import { revokeKeys } from './revoke-keys.ts'

/** Deactivates the account and revokes its keys, which stay invalid after a reactivation. */
export async function deactivateAccount(tx: Tx, ctx: Context, managed: LockedAccount): Promise<void> {
  await endAccess(tx, ctx, managed)
  await tx.audit(managed.actor.id, 'user_deactivated', { user_id: managed.target.id, bot_ids: managed.botIds })
}

/** What deactivating and suspending do. */
export async function endAccess(tx: Tx, { vault }: Context, managed: LockedAccount): Promise<void> {
  const { actor, target, botIds } = managed
  await revokeKeys(tx, { vault, realm: actor.realm, actorId: actor.id }, [target.id, ...botIds])
  await deactivate(tx, managed)
  await emitBotActivity(tx, actor.realm, botIds)
  await deletePresence(tx, target.id)
  await revokeInvitationsOf(tx, target.id)
  const guests = await restrictedGuests(tx.db, actor.realm, target.id)
  if (guests.length > 0) await emitPersonalPermissions(tx, actor.realm, target.id, guests)
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
