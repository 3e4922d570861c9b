import { type Role, roles } from '@parley/api/common'
import { apiEmail } from '../../callers/api-email.ts'
import { fakeDomain, type Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { directGroupsOf } from '../../organization/groups/system-groups.ts'
import { matches } from '../../platform/db/matches.ts'
import { many } from '../../platform/db/query.ts'
import { emailKey } from '../../platform/emails.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { avatarOf, emitAvatar } from './avatars/avatar-events.ts'
import { checkEmail } from './profile/account-fields.ts'
import { type UserRow, withPublicEmail } from './user-object.ts'
import { emailAudience, emailsSeenOnlyAs } from './visibility/email-visibility.ts'
import { visibilityAudience } from './visibility/visible-users.ts'

export async function rename(tx: Tx, realm: Realm, user: UserRow, full_name: string): Promise<void> {
  await updateUser(tx, user.id, { full_name })
  tx.emit(
    { type: 'realm_user', op: 'update', person: { user_id: user.id, full_name } },
    await visibilityAudience(tx.db, realm, user),
    { access: true },
  )
}

/** Changes the role and its groups. Callers emit what the user gains or loses access to. */
export async function changeRole(tx: Tx, realm: Realm, user: UserRow, role: Role): Promise<void> {
  await updateUser(tx, user.id, { role })
  tx.emit(
    { type: 'realm_user', op: 'update', person: { user_id: user.id, role } },
    await visibilityAudience(tx.db, realm, user),
    { access: true, roles: { [user.id]: role }, former_roles: { [user.id]: user.role } },
  )
  await syncRoleGroups(tx, realm, { ...user, role })
  await emitEmailVisibility(tx, realm, user, role)
}

/** Makes the user a direct member of exactly the system groups of their role. */
async function syncRoleGroups(tx: Tx, realm: Realm, user: UserRow): Promise<void> {
  const names = directGroupsOf(user.role as Role, isFullMember(realm, user))
  const groups = names.map((name) => realm.systemGroups[name])
  const left = await many<{ group_id: number }>(tx.db)`
    delete from group_members m using user_groups g
     where m.realm_id = ${tx.realmId} and m.user_id = ${user.id} and g.id = m.group_id and g.is_system_group
       and g.id <> all(${groups}::bigint[])
    returning m.group_id`
  const joined = await many<{ group_id: number }>(tx.db)`
    insert into group_members (realm_id, group_id, user_id)
    select ${tx.realmId}, unnest(${groups}::bigint[]), ${user.id} on conflict do nothing returning group_id`
  const emitMembers = (op: 'add_members' | 'remove_members', group_id: number) =>
    tx.emit({ type: 'user_group', op, group_id, user_ids: [user.id] }, { realm: 'everyone' })
  if (!user.is_active) return // deactivated accounts are not listed as members
  for (const { group_id } of left) emitMembers('remove_members', group_id)
  for (const { group_id } of joined) emitMembers('add_members', group_id)
}

const day = 86_400_000

function isFullMember({ settings }: Realm, { date_joined }: UserRow): boolean {
  const days = Math.floor((Date.now() - date_joined.getTime()) / day)
  return days >= settings.waiting_period_threshold
}

/** The role decides whose real emails a user sees, and with them whose Gravatars. */
async function emitEmailVisibility(tx: Tx, realm: Realm, { id, role: before }: UserRow, role: Role): Promise<void> {
  const shown = await emailsSeenOnlyAs(tx.db, tx.realmId, id, { as: role, not: before })
  const hidden = await emailsSeenOnlyAs(tx.db, tx.realmId, id, { as: before, not: role })
  const isGravatar = ({ avatar_source }: UserRow) => avatar_source === 'G'
  const updates = [
    ...shown.map((one) => ({ user_id: one.id, delivery_email: one.email })),
    ...hidden.map((one) => ({ user_id: one.id, delivery_email: null })),
    ...shown.filter(isGravatar).map((one) => avatarOf(withPublicEmail(one), realm)),
    ...hidden.filter(isGravatar).map((one) => avatarOf(one, realm)),
  ]
  for (const person of updates) tx.emit({ type: 'realm_user', op: 'update', person }, { users: [id] })
}

/** Changes the email without confirmation. */
export async function changeEmail(tx: Tx, realm: Realm, user: UserRow, newEmail: string): Promise<void> {
  const email = checkEmail(newEmail)
  if (email === user.email) return
  await storeEmail(tx, user.id, email)
  tx.emitInternal({ access: true })
  const changed = { ...user, email }
  tx.emit(
    { type: 'realm_user', op: 'update', person: { user_id: user.id, delivery_email: email } },
    await emailAudience(tx.db, realm, changed),
  )
  const audience = await visibilityAudience(tx.db, realm, changed)
  if (user.avatar_source === 'G') await emitAvatar(tx, realm, changed)
  const new_email = apiEmail(changed, fakeDomain(realm))
  if (new_email === email)
    tx.emit({ type: 'realm_user', op: 'update', person: { user_id: user.id, new_email } }, audience)
}

async function storeEmail(tx: Tx, id: number, email: string): Promise<void> {
  await checkEmailFree(tx, id, email)
  try {
    await updateUser(tx, id, { email, email_key: emailKey(email) })
  } catch (error) {
    if ((error as { code?: string }).code === '23505') throw emailInUse(email)
    throw error
  }
}

/** Emails of deactivated accounts and system bots stay reserved. */
async function checkEmailFree(tx: Tx, id: number, email: string): Promise<void> {
  const found = await tx.db
    .selectFrom('users')
    .select('id')
    .where(matches({ realm_id: tx.realmId, email_key: emailKey(email) }))
    .where('id', '!=', id)
    .executeTakeFirst()
  if (found) throw emailInUse(email)
}

export function emailInUse(email: string): ApiError {
  return new ApiError(`Email is already in use: ${email}`)
}

async function updateUser(
  tx: Tx,
  id: number,
  changed: { full_name?: string; role?: Role; email?: string; email_key?: string },
): Promise<void> {
  await tx.db.updateTable('users').set(changed).where('realm_id', '=', tx.realmId).where('id', '=', id).execute()
}

/** Whether a role change can change which users are visible. */
export function crossesGuestLine(before: number, after: number): boolean {
  return (before === roles.guest) !== (after === roles.guest)
}
