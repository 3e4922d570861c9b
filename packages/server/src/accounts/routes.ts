import * as api from '@parley/api/accounts'
import { type Role, roles } from '@parley/api/common'
import type { ParamsOf } from '@parley/api/operation'
import { accessBot, checkMayCreate } from '../bots/access.ts'
import { deactivateBot } from '../bots/actions.ts'
import { emitBotAccountUpdate, emitBotActivity, emitBotsByRole } from '../bots/events.ts'
import { transferBot } from '../bots/transfer.ts'
import { emitPersonalPermissions } from '../channels/visibility/personal-permissions.ts'
import { emitReturn, emitVisibleChannelChanges, readVisibleChannels } from '../channels/visibility/visible-channels.ts'
import { type Context, transactIn } from '../context.ts'
import type { Tx } from '../events/transact.ts'
import { realmUrl } from '../http/realm-url.ts'
import { type App, serve } from '../http/serve.ts'
import { revokeInvitationsOf } from '../invitations/actions.ts'
import { requestDeactivationMail } from '../mail/actions.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { Vault } from '../platform/secrets.ts'
import { foldCase } from '../platform/text.ts'
import { deletePresence } from '../presence/actions.ts'
import { setProfileValues } from '../profile-fields/values.ts'
import { endQueuesOf } from '../queues/end-queues.ts'
import { checkNewPassword } from '../sign-in/password-strength.ts'
import { hashingOwner, hashPassword } from '../sign-in/passwords.ts'
import { emitStatus } from '../status/actions.ts'
import { readStatus } from '../status/queries.ts'
import { removeUnreadablePolicies } from '../topics/policies.ts'
import {
  accessManagedAccount,
  accessOwn,
  checkDeactivation,
  checkOwnDeactivation,
  checkOwner,
  checkRoleChange,
  type ManagedAccount,
} from '../users/account-access.ts'
import { checkFullName, createUser } from '../users/actions.ts'
import { checkAccess, reloadCaller } from '../users/authenticate.ts'
import type { Caller } from '../users/caller.ts'
import { changeEmail, changeRole, crossesGuestLine, rename } from '../users/change-user.ts'
import { deactivate, reactivate } from '../users/deactivate.ts'
import { accessNewEmail } from '../users/email-rules.ts'
import { accessName } from '../users/name-rules.ts'
import { accessUserByEmail } from '../users/queries.ts'
import { restrictedGuests, restrictsGuests } from '../users/visible-users.ts'
import { offerPasswordReset } from './password-reset.ts'
import { revokeKeys } from './revoke-keys.ts'
import { welcomeAccount } from './welcome.ts'

type Changes = ParamsOf<typeof api.updateUser>

export function userAdministrationRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.updateUser, ({ user, path, params }) => changeUser(ctx, user, path.user_id, params))

  serve(app, api.updateUserByEmail, async ({ user, path, params }) => {
    const { id } = await accessUserByEmail(ctx.db, user, path.email)
    return changeUser(ctx, user, id, params)
  })

  serve(app, api.createUser, async ({ user, params }) => {
    const user_id = await addUser(ctx, user, { ...params, role: roles.member }, checkMayCreateUsers)
    return { user_id }
  })

  serve(app, api.createAccount, async ({ user, params }) => {
    const user_id = await addUser(ctx, user, params, (caller) => checkAccess('owner', caller))
    return { user_id }
  })

  serve(app, api.deactivateUser, async ({ user, path, params }) => {
    const comment = params.deactivation_notification_comment?.trim()
    await transactIn(ctx, user.realm_id, async (tx) => {
      const managed = await accessManagedAccount(tx, user, path.user_id)
      checkDeactivation(managed)
      if (managed.target.bot_type !== null) return deactivateManagedBot(tx, ctx, managed)
      await deactivateAccount(tx, ctx, managed)
      if (comment !== undefined) await requestDeactivationMail(tx, path.user_id, comment)
    })
    return {}
  })

  serve(app, api.revokeUserKeys, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      revokeKeysOf(tx, ctx, await accessManagedAccount(tx, user, path.user_id)),
    )
    return {}
  })

  serve(app, api.sendPasswordReset, ({ user, path, request }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      const managed = await accessManagedAccount(tx, user, path.user_id)
      return offerPasswordReset(tx, ctx, managed, realmUrl(ctx, request, user.realm))
    }),
  )

  serve(app, api.deactivateOwnUser, async ({ user }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const managed = await accessOwn(tx, user)
      await checkOwnDeactivation(tx.db, managed)
      await deactivateAccount(tx, ctx, managed)
    })
    return {}
  })

  serve(app, api.reactivateUser, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      reactivateAccount(tx, ctx.vault, await accessManagedAccount(tx, user, path.user_id)),
    )
    return {}
  })
}

/** Also revokes the keys of the user's bots: a leaked user key can read them. */
async function revokeKeysOf(tx: Tx, { vault }: Context, managed: ManagedAccount): Promise<void> {
  const { actor, target, botIds } = managed
  if (target.role === roles.owner) checkOwner(actor)
  await revokeKeys(tx, { vault, realm: actor.realm, actorId: actor.id }, [target.id, ...botIds])
}

/** Applies all changes or none. */
async function changeUser(ctx: Context, user: Caller, userId: number, changes: Changes): Promise<object> {
  await transactIn(ctx, user.realm_id, async (tx) => {
    const managed = await accessManagedAccount(tx, user, userId)
    const { actor, target } = managed
    if (changes.new_email !== undefined) checkMayChangeEmails(actor)
    if (changes.role !== undefined) checkRoleChange(managed, changes.role)
    await changeName(tx, managed, changes.full_name)
    if (changes.profile_data) await setProfileValues(tx, actor, target.id, changes.profile_data)
    if (changes.role !== undefined && changes.role !== target.role)
      await changeRoleAndVisibility(tx, managed, changes.role)
    if (changes.new_email !== undefined) await changeEmail(tx, actor.realm, target, changes.new_email)
    if (target.bot_type !== null) await emitBotAccountUpdate(tx, actor.realm, target.id)
    await tx.audit(actor.id, 'user_updated', { user_id: target.id, ...auditOf(changes) })
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
async function changeRoleAndVisibility(tx: Tx, { actor, target }: ManagedAccount, role: Role): Promise<void> {
  const before = await readVisibleChannels(tx.db, tx.realmId, target.id)
  if (crossesGuestLine(target.role, role) && restrictsGuests(actor.realm)) await endQueuesOf(tx, [target.id])
  await changeRole(tx, actor.realm, target, role)
  await removeUnreadablePolicies(tx, { userIds: [target.id] })
  await emitBotsByRole(tx, actor.realm, target, role)
  await emitVisibleChannelChanges(tx, before)
}

/** Names the changed fields, but leaves out personal values. */
function auditOf({ role, ...others }: Changes) {
  return { changed: Object.keys(others), ...(role !== undefined && { role }) }
}

/** Checks again in the transaction, because the caller may lose the permission while the password is hashed. */
async function addUser(
  ctx: Context,
  user: Caller,
  params: ParamsOf<typeof api.createAccount>,
  check: (caller: Caller) => void,
): Promise<number> {
  check(user)
  checkFullName(params.full_name)
  const email = await accessNewEmail(ctx.db, user.realm, params.email)
  await checkNewPassword(ctx.config.mode, params.password, [email, params.full_name])
  const password_hash = await hashPassword(params.password, hashingOwner(user))
  return transactIn(ctx, user.realm_id, async (tx) => {
    const creator = await reloadCaller(tx.db, user)
    check(creator)
    const { realm } = creator
    const full_name = await accessName(tx, realm, null, params.full_name)
    const created = await createUser(tx, ctx.vault, realm, { email, full_name, role: params.role, password_hash })
    await welcomeAccount(tx, ctx, realm, created)
    await tx.audit(user.id, 'user_created', { user_id: created.id })
    return created.id
  })
}

function checkMayCreateUsers(caller: Caller): void {
  checkAccess('admin', caller)
  if (!caller.can_create_users) throw new ApiError('User not authorized to create users')
}

/** Deactivates the account and revokes its keys, which stay invalid after a reactivation. */
async function deactivateAccount(tx: Tx, { vault }: Context, managed: ManagedAccount): Promise<void> {
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

async function deactivateManagedBot(tx: Tx, { vault }: Context, { actor, target }: ManagedAccount): Promise<void> {
  const bot = await accessBot(tx.db, actor, target.id)
  await revokeKeys(tx, { vault, realm: actor.realm, actorId: actor.id }, [bot.id])
  await deactivateBot(tx, actor, bot)
}

/** Ends queues that were registered during the deactivation, so that the reactivation does not revive them. */
async function reactivateAccount(tx: Tx, vault: Vault, { actor, target }: ManagedAccount): Promise<void> {
  if (target.is_active) return
  if (target.bot_type !== null) await checkBotReactivation(tx, actor, target)
  await endQueuesOf(tx, [target.id])
  await reactivate(tx, actor.realm, target)
  if (target.bot_type !== null) await adoptBot(tx, vault, actor, target)
  const { viewer } = await readVisibleChannels(tx.db, tx.realmId, target.id)
  await emitReturn(tx, viewer)
  await emitPersonalPermissions(tx, actor.realm, target.id)
  await emitStatus(tx, viewer, await readStatus(tx.db, viewer, target.id))
  await tx.audit(actor.id, 'user_reactivated', { user_id: target.id })
}

async function checkBotReactivation(tx: Tx, actor: Caller, bot: ManagedAccount['target']): Promise<void> {
  checkMayCreate(actor, bot.bot_type!)
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
  if (!owner?.is_active) await transferBot(tx, vault, actor, bot.id, actor.id)
  await emitBotActivity(tx, actor.realm, [bot.id])
}
