import { isSubscribed } from '../../channels/access.ts'
import type { Audience } from '../../events/log.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column } from '../../platform/db/query.ts'
import type { Caller } from '../../users/caller.ts'
import { restrictedGuests, restrictsGuests } from '../../users/visible-users.ts'

/** Guests subscribed to a channel who cannot see the caller, because the caller acts there without being subscribed. */
export async function guestsWhoCannotSee(db: Db, caller: Caller, channelId: number): Promise<number[]> {
  if (caller.bot_type !== null || !restrictsGuests(caller.realm)) return []
  if (await isSubscribed(db, caller, caller.id, channelId)) return []
  const restricted = await restrictedGuests(db, caller.realm, caller.id)
  return column<number>(db)`
    select user_id from subscriptions
     where realm_id = ${caller.realm_id} and channel_id = ${channelId} and is_active
       and user_id = any(${restricted}::bigint[])`
}

export function excepting(audience: Audience, except: number[]): Audience {
  return except.length > 0 ? { ...audience, except } : audience
}
