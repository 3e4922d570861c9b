import type * as api from '@parley/api/accounts'
import { type Role, roles } from '@parley/api/common'
import type { ParamsOf } from '@parley/api/operation'
import { emitBotAccountUpdate, emitBotsByRole } from '../bots/events.ts'
import { emitVisibleChannelChanges, readVisibleChannels } from '../channels/visibility/visible-channels.ts'
import { type Context, transactIn } from '../context.ts'
import type { Tx } from '../events/transact.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { setProfileValues } from '../profile-fields/values.ts'
import { endQueuesOf } from '../queues/end-queues.ts'
import type { Realm } from '../realms/state.ts'
import { removeUnreadablePolicies } from '../topics/policies.ts'
import { accessManagedAccount, checkRoleChange, type ManagedAccount } from '../users/account-access.ts'
import type { Caller } from '../users/caller.ts'
import { changeEmail, changeRole, crossesGuestLine, rename } from '../users/change-user.ts'
import { accessName } from '../users/name-rules.ts'
import type { UserRow } from '../users/user-object.ts'
import { restrictsGuests } from '../users/visible-users.ts'

type Changes = ParamsOf<typeof api.updateUser>

/** Applies all changes or none. */
export async function changeUser(ctx: Context, user: Caller, userId: number, changes: Changes): Promise<object> {
  await transactIn(ctx, user.realm_id, async (tx) => {
    const managed = await accessManagedAccount(tx, user, userId)
    const { actor, target } = managed
    if (changes.new_email !== undefined) checkMayChangeEmails(actor)
    if (changes.role !== undefined) checkRoleChange(managed, changes.role)
    await changeName(tx, managed, changes.full_name)
    if (changes.profile_data) await setProfileValues(tx, actor, target.id, changes.profile_data)
    if (changes.role !== undefined && changes.role !== target.role)
      await changeRoleAndVisibility(tx, actor.realm, target, changes.role)
    if (changes.new_email !== undefined) await changeEmail(tx, actor.realm, target, changes.new_email)
    if (target.bot_type !== null) await emitBotAccountUpdate(tx, actor.realm, target.id)
    const role = changes.role !== undefined && { before: { role: target.role }, after: { role: changes.role } }
    await tx.audit(actor.id, 'user_updated', { user_id: target.id, ...auditOf(changes) }, role || undefined)
  })
  return {}
}

function checkMayChangeEmails(actor: Caller): void {
  if (actor.role !== roles.owner || !actor.can_change_user_emails)
    throw new ApiError('You do not have permission to change the email addresses of other users.')
}

async function changeName(tx: Tx, { actor, target }: ManagedAccount, name: string | undefined): Promise<void> {
  if (name === undefined || name.trim() === target.full_name) return
  await rename(tx, actor.realm, target, await accessName(tx, actor.realm, target.id, name))
}

/** Ends the target's queues if the new role changes which users they see: no event covers that, clients must register. */
export async function changeRoleAndVisibility(tx: Tx, realm: Realm, target: UserRow, role: Role): Promise<void> {
  const before = await readVisibleChannels(tx.db, tx.realmId, target.id)
  if (crossesGuestLine(target.role, role) && restrictsGuests(realm)) await endQueuesOf(tx, [target.id])
  await changeRole(tx, realm, target, role)
  await removeUnreadablePolicies(tx, { userIds: [target.id] })
  await emitBotsByRole(tx, realm, target, role)
  await emitVisibleChannelChanges(tx, before)
}

/** Names the changed fields, but leaves out personal values. */
function auditOf({ role, ...others }: Changes) {
  return { changed: Object.keys(others), ...(role !== undefined && { role }) }
}
