import { type RawBuilder, sql } from 'kysely'
import { isAdmin, isGuest } from '../../groups/permission.ts'
import type { Caller } from '../../users/caller.ts'

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

function groups(caller: Caller): number[] {
  return [...caller.groups]
}
