import { type Role, roles } from '@parley/api/common'
import type { Context } from '../../context.ts'
import { lockChannels } from '../../conversations/channels/access.ts'
import { channelKey } from '../../conversations/channels/settings/channel-names.ts'
import { subscribeUsers } from '../../conversations/channels/subscriptions/subscribe.ts'
import { updateHiddenPolicies } from '../../conversations/topics/policies.ts'
import type { Tx } from '../../events/transact.ts'
import { changeRoleAndVisibility } from '../../identity/accounts/change-account.ts'
import { deactivateAccount } from '../../identity/accounts/deactivate-account.ts'
import { reactivatePerson } from '../../identity/accounts/reactivate-account.ts'
import { forgetSuspension } from '../../identity/accounts/suspensions.ts'
import { endCredentials, listCredentials } from '../../identity/sessions/stored-credentials.ts'
import { accessGroup, checkActive, lockGroups } from '../../organization/groups/access.ts'
import { changeMembership } from '../../organization/groups/membership.ts'
import { checkNewRole, checkNotOnlyOwner, type LockedAccount } from '../../people/users/account-access.ts'
import { changeEmail } from '../../people/users/change-user.ts'
import { checkEmail } from '../../people/users/profile/account-fields.ts'
import { matches } from '../../platform/db/matches.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { roleNames } from './role-names.ts'

/** Changes an account in a transaction and returns what was done, or undefined if nothing had to be. */
export type AccountChange<Given> = (
  tx: Tx,
  ctx: Context,
  locked: LockedAccount,
  given: Given,
) => Promise<string | undefined>

/** The account of a suspended user stays deactivated for good. */
export const deactivateOne: AccountChange<unknown> = async (tx, ctx, locked) => {
  const { target, botIds } = locked
  const wasSuspended = await forgetSuspension(tx, target.id)
  if (!target.is_active && !wasSuspended) return undefined
  if (wasSuspended) await tx.audit(null, 'user_deactivated', { user_id: target.id, bot_ids: botIds })
  else {
    checkNotOnlyOwner(locked)
    await deactivateAccount(tx, ctx, locked)
  }
  return 'deactivated'
}

export const reactivateOne: AccountChange<unknown> = async (tx, _ctx, locked) => {
  if (locked.target.is_active) return undefined
  await reactivatePerson(tx, locked)
  return 'reactivated'
}

export const setRole: AccountChange<{ role: Role }> = async (tx, _ctx, locked, { role }) => {
  const { actor, target } = locked
  if (target.role === role) return undefined
  checkNewRole(locked, role)
  await changeRoleAndVisibility(tx, actor, target, role)
  const change = { before: { role: target.role }, after: { role } }
  await tx.audit(null, 'user_updated', { user_id: target.id, changed: [], role }, change)
  return `is now ${nameOf(role)}, was ${nameOf(target.role)}`
}

function nameOf(role: number): string {
  return roleNames.find((name) => roles[name] === role)!
}

export const setEmail: AccountChange<{ newEmail: string }> = async (tx, _ctx, { actor, target }, { newEmail }) => {
  const email = checkEmail(newEmail)
  if (email === target.email) return undefined
  await changeEmail(tx, actor.realm, target, email)
  await tx.audit(null, 'user_updated', { user_id: target.id, changed: ['new_email'] })
  return `has the email ${email}`
}

export const endSessions: AccountChange<unknown> = async (tx, _ctx, { target }) => {
  const sessions = await listCredentials(tx.db, tx.realmId, [target.id], 'session')
  if (sessions.length === 0) return undefined
  await endCredentials(
    tx,
    sessions.map(({ id }) => id),
  )
  for (const { id } of sessions) await tx.audit(null, 'session_ended', { user_id: target.id, session_id: id })
  return sessions.length === 1 ? 'ended a session' : `ended ${sessions.length} sessions`
}

export interface Places {
  channels: string[]
  groups: string[]
}

export const addTo: AccountChange<Places> = async (tx, _ctx, locked, { channels, groups }) => {
  if (!locked.target.is_active) throw new ApiError('This account is deactivated.')
  const added = [...(await addToChannels(tx, locked, channels)), ...(await addToGroups(tx, locked, groups))]
  return added.length === 0 ? undefined : `added to ${added.join(', ')}`
}

async function addToChannels(tx: Tx, { actor: { realm }, target }: LockedAccount, names: string[]): Promise<string[]> {
  if (names.length === 0) return []
  const channels = await lockChannels(tx.db, tx.realmId, names.map(channelKey))
  for (const name of names) checkChannel(channels, name)
  const joined = await subscribeUsers(tx, realm, { users: [target], channels, created: [], colors: new Map() })
  const added = joined.filter((one) => one.added.length > 0).map(({ channel }) => channel)
  if (added.length === 0) return []
  await updateHiddenPolicies(tx, { channelIds: added.map(({ id }) => id), userIds: [target.id] })
  const audited = added.map(({ id }) => ({ channel_id: id, user_ids: [target.id] }))
  await tx.audit(null, 'subscribers_added', { channels: audited })
  return added.map(({ name }) => `#${name}`)
}

function checkChannel(channels: { name: string; is_archived: boolean }[], name: string): void {
  const found = channels.find((channel) => channelKey(channel.name) === channelKey(name))
  if (!found) throw new ApiError(`There is no channel "${name}".`)
  if (found.is_archived) throw new ApiError(`The channel "${name}" is archived.`)
}

async function addToGroups(tx: Tx, { actor, target }: LockedAccount, names: string[]): Promise<string[]> {
  if (names.length === 0) return []
  await lockGroups(tx, actor.realm)
  const added = []
  for (const name of names) if (await addToGroup(tx, { actor, target }, name)) added.push(`@${name}`)
  return added
}

async function addToGroup(tx: Tx, { actor, target }: Pick<LockedAccount, 'actor' | 'target'>, name: string) {
  const group = await findGroup(tx, name)
  const membership = { realm_id: tx.realmId, group_id: group.id, user_id: target.id }
  const known = tx.db.selectFrom('group_members').select('user_id').where(matches(membership))
  if (await known.executeTakeFirst()) return false
  await changeMembership(tx, actor, group, { add: [target.id], delete: [], add_subgroups: [], delete_subgroups: [] })
  return true
}

async function findGroup(tx: Tx, name: string) {
  const named = tx.db
    .selectFrom('user_groups')
    .select('id')
    .where(matches({ realm_id: tx.realmId, name }))
  const found = await named.executeTakeFirst()
  if (!found) throw new ApiError(`There is no group "${name}".`)
  const group = await accessGroup(tx.db, tx.realmId, found.id)
  if (group.is_system_group) throw new ApiError(`The server keeps the members of "${name}": set the role instead.`)
  checkActive(group)
  return group
}
