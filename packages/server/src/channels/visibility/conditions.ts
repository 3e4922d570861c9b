import { roles } from '@parley/api/common'
import { type RawBuilder, sql } from 'kysely'
import { isAdmin, isGuest } from '../../groups/permission.ts'
import { type Caller, groupsOfUser } from '../../users/caller.ts'

type Condition = RawBuilder<boolean>

/** The rules of access.ts as SQL conditions on channels with the alias `c`. */
export function isSubscribedBy(userId: number): Condition {
  return sql`c.id in (select s.channel_id from subscriptions s
                       where s.realm_id = c.realm_id and s.user_id = ${userId} and s.is_active)`
}

/** Channels whose content the caller may read. */
export function isReadableBy(caller: Caller): Condition {
  const reach = isGuest(caller)
    ? sql`c.is_web_public`
    : sql`not c.invite_only or c.can_subscribe_group = any(${groups(caller)}::bigint[])
          or c.can_add_subscribers_group = any(${groups(caller)}::bigint[])`
  return sql`(${reach} or ${isSubscribedBy(caller.id)})`
}

/** Channels that are visible to the caller. */
export function isVisibleTo(caller: Caller): Condition {
  if (isAdmin(caller)) return sql`true`
  if (isGuest(caller)) return isReadableBy(caller)
  return sql`(${isReadableBy(caller)} or c.can_administer_channel_group = any(${groups(caller)}::bigint[]))`
}

/** Whether user `u` may read the content of channel `c`: isReadableBy for queries about many users. */
export const isReadableByUser: Condition = sql`(
  c.is_web_public
  or (u.role <> ${sql.lit(roles.guest)}
      and (not c.invite_only or array[c.can_subscribe_group, c.can_add_subscribers_group] && ${groupsOfUser}))
  or exists (select 1 from subscriptions s where s.realm_id = c.realm_id and s.user_id = u.id and s.channel_id = c.id
                and s.is_active))`

function groups(caller: Caller): number[] {
  return [...caller.groups]
}
