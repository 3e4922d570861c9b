import { readingPermissions } from '@parley/api/channel-permissions'
import { isAdmin, isGuest } from '@parley/api/permissions'
import { type RawBuilder, sql } from 'kysely'
import { type Caller, groupsOfUser } from '../../../callers/caller.ts'
import { usersWithin } from '../../../organization/groups/nested-groups.ts'
import { isAdminUser, isGuestUser } from '../../../organization/groups/role-conditions.ts'
import { type Channel, viewingPermissions } from '../access.ts'

type Condition = RawBuilder<boolean>
type ViewingPermission = (typeof viewingPermissions)[number]

/* The rules of access.ts as SQL conditions on channels with the alias `c` */

/** Channels that anyone may read without an account, where the organization allows that (web-public/access.ts). */
export const isOpenToAnyone: Condition = sql`(
  c.is_web_public and not c.invite_only and c.history_public_to_subscribers and not c.is_archived)`

export function isSubscribedBy(userId: number): Condition {
  return sql`c.id in (select s.channel_id from subscriptions s
                       where s.realm_id = c.realm_id and s.user_id = ${userId} and s.is_active)`
}

/** Channels whose content the caller may read. */
export function isReadableBy(caller: Caller): Condition {
  const reach = isGuest(caller)
    ? sql`c.is_web_public`
    : sql`not c.invite_only or ${holdsOneOf(caller, readingPermissions)}`
  return sql`(${reach} or ${isSubscribedBy(caller.id)})`
}

/** Channels that are visible to the caller. */
export function isVisibleTo(caller: Caller): Condition {
  if (isAdmin(caller)) return sql`true`
  if (isGuest(caller)) return isReadableBy(caller)
  return sql`(${isReadableBy(caller)} or ${holdsOneOf(caller, viewingPermissions)})`
}

function holdsOneOf({ groups }: Caller, permissions: readonly ViewingPermission[]): Condition {
  const granted = permissions.map((name) => sql`${sql.ref(`c.${name}`)} = any(${[...groups]}::bigint[])`)
  return sql`(${sql.join(granted, sql` or `)})`
}

const readingGroups = sql.join(readingPermissions.map((name) => sql.ref(`c.${name}`)))

/** Whether user `u` may read the content of channel `c`: isReadableBy for queries about many users. */
export const isReadableByUser: Condition = sql`(
  c.is_web_public
  or (not ${isGuestUser} and (not c.invite_only or array[${readingGroups}] && ${groupsOfUser}))
  or exists (select 1 from subscriptions s where s.realm_id = c.realm_id and s.user_id = u.id and s.channel_id = c.id
                and s.is_active))`

/* The same rules for one channel, as SQL conditions on users with the alias `u` */

/** Users who may read the private channel without being subscribed, because they hold a permission. */
export function holdsReadingPermission(channel: Channel): Condition {
  return holdsPermission(channel, readingPermissions)
}

/** Users who can see the channel. */
export function canSee(channel: Channel): Condition {
  return sql`(${channel.is_web_public} or ${isAdminUser} or (not ${isGuestUser} and not ${channel.invite_only})
    or ${isSubscribedTo(channel)} or ${holdsPermission(channel, viewingPermissions)})`
}

export function isSubscribedTo({ realm_id, id }: Channel): Condition {
  return sql`u.id in (select s.user_id from subscriptions s
                       where s.realm_id = ${realm_id} and s.channel_id = ${id} and s.is_active)`
}

function holdsPermission(channel: Channel, permissions: readonly ViewingPermission[]): Condition {
  const groups = permissions.map((name) => channel[name])
  return sql`(not ${isGuestUser} and u.id in (${usersWithin(channel.realm_id, groups)}))`
}
