import type { lastingKinds } from '@parley/api/identity/sessions'
import type { Caller } from '../../callers/caller.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import { isAlive } from './stored-credentials.ts'

interface LastingAccess {
  kind: (typeof lastingKinds)[number]
  id: number
  name: string
  created_at: number
}

const mostItems = 500

/**
 * What the caller created that signing out everywhere does not end, newest first. Accounts are also those that the caller
 * invited (even if the invitation was withdrawn since), reactivated, or gave a higher role or another email.
 */
export function readLastingAccess(db: Db, { realm_id, id }: Caller): Promise<LastingAccess[]> {
  return many<LastingAccess>(db)`
    with bots as (
      select u.id, u.full_name, u.date_joined from users u
       where u.realm_id = ${realm_id} and u.bot_owner_id = ${id} and u.is_active
    ),
    accounts as (
      select (target ->> 'user_id')::bigint as id, created_at from audit_log
       where realm_id = ${realm_id} and acting_user_id = ${id}
         and (action in ('user_created', 'user_reactivated')
              or action = 'user_updated' and ((after ->> 'role')::integer < (before ->> 'role')::integer
                                              or target -> 'changed' @> '"new_email"'))
      union all
      select (l.target ->> 'user_id')::bigint, l.created_at
        from invitations i
        left join invitations link on link.realm_id = i.realm_id and link.id = i.link_id
        join audit_log l on l.realm_id = i.realm_id and l.action = 'user_joined'
                        and (l.target ->> 'invitation_id')::bigint = i.id
       where i.realm_id = ${realm_id} and coalesce(i.inviter_id, link.inviter_id) = ${id}
    ),
    items (kind, id, name, created_at) as (
      select 'bot', id, full_name, date_joined from bots
      union all
      select 'token', c.id, concat(c.name, ' (', b.full_name, ')'), c.created_at
        from bots b join credentials c on c.realm_id = ${realm_id} and c.user_id = b.id and c.kind = 'token'
       where ${isAlive}
      union all
      select 'hook', h.id, h.name, h.created_at from bots b join hooks h on h.realm_id = ${realm_id} and h.bot_id = b.id
      union all
      select 'passkey', id, name, created_at from passkeys where realm_id = ${realm_id} and user_id = ${id}
      union all
      select 'invitation', id, coalesce(email, ''), created_at from invitations
       where realm_id = ${realm_id} and inviter_id = ${id} and kind in ('email', 'link') and ended_at is null
         and coalesce(expires_at > now(), true)
      union all
      select 'account', u.id, u.full_name, max(a.created_at)
        from accounts a join users u on u.realm_id = ${realm_id} and u.id = a.id
       where u.is_active and u.bot_type is null
       group by u.id, u.full_name
    )
    select kind, id, name, floor(extract(epoch from created_at))::bigint as created_at
      from items order by created_at desc, kind, id desc limit ${mostItems}`
}
