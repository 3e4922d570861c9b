import { type Role, roles } from '@parley/api/common'
import type * as api from '@parley/api/identity/accounts'
import type { ParamsOf } from '@parley/api/operation'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import {
  emitVisibleChannelChanges,
  readVisibleChannels,
} from '../../conversations/channels/visibility/visible-channels.ts'
import { updateHiddenPolicies } from '../../conversations/topics/policies.ts'
import { checkWithinOwner, readOwnerRole } from '../../delivery/bots/access.ts'
import { emitBotAccountUpdate, emitBotsByRole } from '../../delivery/bots/events.ts'
import { readBots } from '../../delivery/bots/queries.ts'
import { endQueuesOf } from '../../events/end-queues.ts'
import type { Tx } from '../../events/transact.ts'
import { setProfileValues } from '../../people/profile-fields/values.ts'
import {
  type AccountActor,
  accessManagedAccount,
  checkRoleChange,
  type ManagedAccount,
} from '../../people/users/account-access.ts'
import { changeEmail, changeRole, crossesGuestLine, rename } from '../../people/users/change-user.ts'
import { accessName } from '../../people/users/profile/name-rules.ts'
import type { UserRow } from '../../people/users/user-object.ts'
import { restrictsGuests } from '../../people/users/visibility/visible-users.ts'
import { ApiError } from '../../platform/http/api-error.ts'

type Changes = ParamsOf<typeof api.updateUser>

/** Applies all changes or none. */
export async function changeUser(ctx: Context, user: Caller, userId: number, changes: Changes): Promise<object> {
  await transactIn(ctx, user.realm_id, async (tx) => {
    const managed = await accessManagedAccount(tx, user, userId)
    const { actor, target } = managed
    if (changes.new_email !== undefined) checkMayChangeEmail(actor, target.id)
    if (changes.role !== undefined) {
      checkRoleChange(managed, changes.role)
      checkWithinOwner(changes.role, await readOwnerRole(tx.db, tx.realmId, target.bot_owner_id))
    }
    await changeName(tx, managed, changes.full_name)
    if (changes.profile_data) await setProfileValues(tx, actor, target.id, changes.profile_data)
    if (changes.role !== undefined && changes.role !== target.role)
      await changeRoleAndVisibility(tx, actor, target, changes.role)
    if (changes.new_email !== undefined) await changeEmail(tx, actor.realm, target, changes.new_email)
    if (target.bot_type !== null) await emitBotAccountUpdate(tx, actor.realm, target.id)
    const role = changes.role !== undefined && { before: { role: target.role }, after: { role: changes.role } }
    await tx.audit(actor.id, 'user_updated', { user_id: target.id, ...auditOf(changes) }, role || undefined)
  })
  return {}
}

/** Not of oneself: `PATCH /settings` asks sessions for the password, refuses tokens with scopes, and confirms the email. */
function checkMayChangeEmail(actor: Caller, userId: number): void {
  if (actor.role !== roles.owner || !actor.can_change_user_emails)
    throw new ApiError('You do not have permission to change the email addresses of other users.')
  if (actor.id === userId) throw new ApiError('Change your own email in your settings.')
}

async function changeName(tx: Tx, { actor, target }: ManagedAccount, name: string | undefined): Promise<void> {
  if (name === undefined || name.trim() === target.full_name) return
  await rename(tx, actor.realm, target, await accessName(tx, actor.realm, target.id, name))
}

/**
 * Changes a role, after those of bots that would be above it. Ends the target's queues if the new role changes which users
 * they see: no event covers that, clients must register.
 */
export async function changeRoleAndVisibility(tx: Tx, actor: AccountActor, target: UserRow, role: Role): Promise<void> {
  const { realm } = actor
  await lowerBotsOf(tx, actor, target.id, role)
  const before = await readVisibleChannels(tx.db, tx.realmId, target.id)
  if (crossesGuestLine(target.role, role) && restrictsGuests(realm)) await endQueuesOf(tx, [target.id])
  await changeRole(tx, realm, target, role)
  await updateHiddenPolicies(tx, { userIds: [target.id] })
  await emitBotsByRole(tx, realm, target, role)
  await emitVisibleChannelChanges(tx, before)
}

/** The bots of a user never have a higher role than the user. Deactivated ones are lowered too: they may come back. */
async function lowerBotsOf(tx: Tx, actor: AccountActor, ownerId: number, role: Role): Promise<void> {
  for (const bot of await readBots(tx.db, tx.realmId, sql`u.bot_owner_id = ${ownerId} and u.role < ${role}`)) {
    await changeRoleAndVisibility(tx, actor, bot, role)
    const change = { before: { role: bot.role }, after: { role } }
    await tx.audit(actor.id, 'bot_updated', { user_id: bot.id, changed: ['role'] }, change)
  }
}

/** Names the changed fields, but leaves out personal values. */
function auditOf({ role, ...others }: Changes) {
  return { changed: Object.keys(others), ...(role !== undefined && { role }) }
}
