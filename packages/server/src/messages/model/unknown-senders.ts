import { sql } from 'kysely'
import { isSubscribed } from '../../channels/access.ts'
import type { Audience } from '../../events/log.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { Caller } from '../../users/caller.ts'
import { restrictedGuests, restrictsGuests } from '../../users/visible-users.ts'

/** Guests in a channel who may not know of the caller, who does something there without being subscribed. */
export async function guestsWhoCannotSee(db: Db, caller: Caller, channelId: number): Promise<number[]> {
  if (caller.bot_type !== null || !restrictsGuests(caller.realm)) return []
  if (await isSubscribed(db, caller, caller.id, channelId)) return []
  const blind = await restrictedGuests(db, caller.realm, caller.id)
  const { rows } = await sql<{ user_id: number }>`
    select user_id from subscriptions
     where realm_id = ${caller.realm_id} and channel_id = ${channelId} and is_active
       and user_id = any(${blind}::bigint[])`.execute(db)
  return rows.map(({ user_id }) => user_id)
}

export function excepting(audience: Audience, except: number[]): Audience {
  return except.length > 0 ? { ...audience, except } : audience
}
