import type { Caller } from '../../../callers/caller.ts'
import type { Audience } from '../../../events/log.ts'
import { restrictedGuests, restrictsGuests } from '../../../people/users/visibility/visible-users.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { columnOf } from '../../../platform/db/query.ts'
import { isSubscribed } from '../../channels/access.ts'

/** Guests subscribed to a channel who cannot see the caller, because the caller acts there without being subscribed. */
export function guestsWhoCannotSee(db: Db, caller: Caller, channelId: number): number[] | Promise<number[]> {
  return caller.bot_type !== null || !restrictsGuests(caller.realm)
    ? []
    : readRestrictedSubscribers(db, caller, channelId)
}

async function readRestrictedSubscribers(db: Db, caller: Caller, channelId: number): Promise<number[]> {
  if (await isSubscribed(db, caller, caller.id, channelId)) return []
  const restricted = await restrictedGuests(db, caller.realm, caller.id)
  const { realm_id } = caller
  const subscribed = matches({ realm_id, channel_id: channelId, is_active: true, user_id: restricted })
  return columnOf(db.selectFrom('subscriptions').select('user_id').where(subscribed))
}

export function excepting(audience: Audience, except: number[]): Audience {
  return except.length > 0 ? { ...audience, except } : audience
}
