import { mayAddOthers } from '@parley/api/channel-permissions'
import { type Role, roles } from '@parley/api/common'
import type { RealmGroupSetting } from '@parley/api/permission-settings'
import { isAdmin } from '@parley/api/permissions'
import { type RawBuilder, sql } from 'kysely'
import { checkAccess, checkPermission, reloadCaller } from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import type { Realm } from '../../callers/realm-state.ts'
import { accessChannel } from '../../conversations/channels/access.ts'
import { readDefaultChannelIds } from '../../conversations/channels/queries.ts'
import type { Tx } from '../../events/transact.ts'
import { accessGroup, checkActive, checkMayChange } from '../../organization/groups/access.ts'
import type { Db } from '../../platform/db/pool.ts'
import { maybeOne } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { hashKey } from '../../platform/secrets.ts'
import { checkRealmActive } from '../sign-in/accounts.ts'

/** The caller as the transaction reads them, with the permission to invite. */
export async function accessInviter(tx: Tx, caller: Caller, permission?: RealmGroupSetting): Promise<Caller> {
  const actor = await reloadCaller(tx.db, caller)
  checkAccess('human_member', actor)
  if (permission) checkPermission(permission, actor)
  return actor
}

/** Only owners may invite owners; only administrators may invite administrators and moderators. */
export function checkMayInviteAs(actor: Caller, role: Role): void {
  if (role === roles.owner) checkAccess('owner', actor)
  else if (role < roles.member) checkAccess('admin', actor)
}

/** The same rule as an SQL condition. */
function mayInviteAs(inviterRole: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(i.role >= ${roles.member} or ${inviterRole} <= least(${roles.admin}::integer, i.role))`
}

/** Neither accepted, revoked nor expired. */
export const isPending = isOpen(sql.raw('i'))

function isOpen(row: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`${row}.ended_at is null and (${row}.expires_at is null or ${row}.expires_at > now())`
}

/** Invitations and links that the caller sees and may revoke: their own; for administrators those of others too. */
export function isManagedBy({ id, role, realm_id }: Caller): RawBuilder<boolean> {
  return sql`(i.realm_id = ${realm_id} and i.kind in ('email', 'link') and ${isPending}
    and (i.inviter_id = ${id} or ${isAdmin({ role })}) and ${mayInviteAs(sql`${role}::integer`)})`
}

interface LockedInvitation {
  id: number
  inviter_id: number
  token_sealed: Buffer
}

/** Locks an invitation that the caller may manage. A hidden invitation fails exactly like a missing one. */
export async function lockInvitation(
  tx: Tx,
  actor: Caller,
  kind: 'email' | 'link',
  id: number,
): Promise<LockedInvitation> {
  const invitation = await maybeOne<LockedInvitation>(tx.db)`
    select i.id, i.inviter_id, i.token_sealed from invitations i
     where i.id = ${id} and i.kind = ${kind} and ${isManagedBy(actor)} for no key update`
  if (!invitation) throw new ApiError('No such invitation')
  return invitation
}

/** The invitation behind a link, as the person who opens it may use it. */
export interface OpenInvitation {
  id: number
  kind: 'email' | 'link' | 'sign_up'
  /** Null for a reusable link. */
  email: string | null
  expires_at: Date | null
  /** Null for a sign-up without an invitation. */
  inviter_id: number | null
  inviter_name: string | null
  role: Role
  channel_ids: number[]
  group_ids: number[]
  include_default_channels: boolean
  notify_inviter: boolean
  welcome_text: string | null
}

export class DeadLink extends ApiError {
  constructor() {
    super('This link has expired, was revoked or was already used. Ask for a new invitation.', 'NOT_FOUND')
  }
}

/** A sign-up that is not confirmed yet ends with its link. */
const isUsable = sql<boolean>`${isPending} and (i.link_id is null or ${isOpen(sql.raw('l'))})`

/**
 * The invitation with this token. Dead and unknown links fail the same way. `lock` makes sure that two people cannot
 * accept one invitation.
 */
export async function accessToken(db: Db, realm: Realm, token: string, lock?: 'lock'): Promise<OpenInvitation> {
  checkRealmActive(realm)
  const invitation = await maybeOne<OpenInvitation>(db)`
    select i.id, i.kind, i.email, i.expires_at, i.inviter_id, u.full_name as inviter_name, i.role, i.channel_ids, i.group_ids,
           i.include_default_channels, i.notify_inviter, i.welcome_text
      from invitations i left join users u on u.realm_id = i.realm_id and u.id = i.inviter_id
      left join invitations l on l.realm_id = i.realm_id and l.id = i.link_id
     where i.realm_id = ${realm.id} and i.token_hash = ${hashKey(token)} and ${isUsable}
     ${lock ? sql`for no key update of i` : sql``}`
  if (!invitation || !(await isStillMeant(db, realm, invitation))) throw new DeadLink()
  return invitation
}

/** Whether the inviter may still invite like this; without an inviter, whether anyone may still sign up. */
async function isStillMeant(db: Db, realm: Realm, { inviter_id: id, kind, role }: OpenInvitation): Promise<boolean> {
  if (id === null) return !realm.settings.invite_required
  const permission = kind === 'email' ? 'can_invite_users_group' : 'create_multiuse_invite_group'
  return isAllowed(async () => {
    const inviter = await reloadCaller(db, { realm_id: realm.id, id })
    checkAccess('human_member', inviter)
    checkMayInviteAs(inviter, role)
    // The operator invites in the name of an owner, who could also change the permission.
    if (inviter.role !== roles.owner) checkPermission(permission, inviter)
  })
}

/** Throws unless the actor may subscribe others to the channels. Anyone may invite to default channels. */
export async function checkChannels(db: Db, actor: Caller, channelIds: number[]): Promise<void> {
  const defaults = new Set(await readDefaultChannelIds(db, actor.realm_id))
  for (const id of channelIds.filter((one) => !defaults.has(one)))
    if (!mayAddOthers(actor, await accessChannel(db, actor, id)))
      throw new ApiError('You do not have permission to subscribe other users to channels.')
}

/** Throws unless the actor may add members to the groups. */
export async function checkGroups(db: Db, actor: Caller, groupIds: number[]): Promise<void> {
  for (const id of groupIds) {
    const group = await accessGroup(db, actor.realm_id, id)
    checkMayChange(actor, group, 'can_add_members_group')
    checkActive(group)
  }
}

/** The channels and groups of an invitation without those that its inviter may no longer add people to. */
export async function accessPlaces(db: Db, realm_id: number, invitation: OpenInvitation) {
  const { inviter_id: id, channel_ids, group_ids } = invitation
  if (id === null) return { channel_ids, group_ids }
  const inviter = await reloadCaller(db, { realm_id, id })
  return {
    channel_ids: await allowedOf(channel_ids, (one) => checkChannels(db, inviter, [one])),
    group_ids: await allowedOf(group_ids, (one) => checkGroups(db, inviter, [one])),
  }
}

async function allowedOf(ids: number[], check: (id: number) => Promise<void>): Promise<number[]> {
  const allowed: number[] = []
  for (const id of ids) if (await isAllowed(() => check(id))) allowed.push(id)
  return allowed
}

async function isAllowed(check: () => Promise<void>): Promise<boolean> {
  try {
    await check()
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
