import { sql } from 'kysely'
import { apiEmail } from '../../callers/api-email.ts'
import type { Caller } from '../../callers/caller.ts'
import { fakeDomain } from '../../callers/realm-state.ts'
import type { Audience } from '../../events/log.ts'
import type { Tx } from '../../events/transact.ts'
import { maybeOne } from '../../platform/db/query.ts'
import { findUsers } from '../users/find-users.ts'
import { usersWhoSee, visibilityAudience } from '../users/visibility/visible-users.ts'
import { legacyRecord, type Seen, seenColumns, serverTimestamp, toSeconds } from './queries.ts'

type Status = 'active' | 'idle'

/** Updates that follow the last one within this time are not stored. */
const throttleSeconds = 55
/** A user who becomes active after this much inactivity counts as having come back. */
const awaySeconds = 130
/** With a larger audience no event is emitted: clients get the update with their next ping. */
const maxAudience = 100

/** Stores the caller's presence, and emits an event if they have come back. */
export async function recordPresence(tx: Tx, caller: Caller, status: Status): Promise<void> {
  if (!caller.settings.presence_enabled) return
  const recorded = await storePresence(tx, caller, status)
  if (!recorded?.came_back) return
  const viewers = await usersWhoSee(tx.db, caller.realm, caller.id, maxAudience + 1)
  if (viewers.length <= maxAudience) await emitPresence(tx, caller, seenNow(recorded.now), { users: viewers })
}

/** Undefined if the stored record is too recent to be replaced. The subquery in `returning` still reads the old row. */
async function storePresence(tx: Tx, caller: Caller, status: Status) {
  const isActive = status === 'active'
  return maybeOne<{ now: number; came_back: boolean }>(tx.db)`
    insert into presence as p (realm_id, user_id, last_active_time, last_connected_time, update_id)
    values (${tx.realmId}, ${caller.id}, case when ${isActive} then now() end, now(), pg_current_xact_id()::text::bigint)
    on conflict (realm_id, user_id) do update
       set last_active_time = coalesce(excluded.last_active_time, p.last_active_time),
           last_connected_time = excluded.last_connected_time,
           update_id = excluded.update_id
     where ${isOld('last_connected_time')} or (${isActive} and ${isOld('last_active_time')})
    returning ${toSeconds(sql`now()`)} as now,
              ${isActive} and coalesce((select before.last_active_time <= now() - make_interval(secs => ${awaySeconds})
                                          from presence before
                                         where before.realm_id = p.realm_id and before.user_id = p.user_id),
                                       true) as came_back`
}

function isOld(column: string) {
  return sql`coalesce(${sql.ref(`p.${column}`)} <= now() - make_interval(secs => ${throttleSeconds}), true)`
}

/** For deactivated accounts: after a reactivation the old presence is not shown. */
export async function deletePresence(tx: Tx, userId: number): Promise<void> {
  await tx.db.deleteFrom('presence').where('realm_id', '=', tx.realmId).where('user_id', '=', userId).execute()
}

/** Long enough for every client to show the user as offline. */
const hiddenSeconds = 320

/**
 * Users who turn presence off appear offline; users who turn it on appear active. The event goes to everyone who can
 * see the user, however large the audience.
 */
export async function recordVisibility(tx: Tx, caller: Caller, isShown: boolean): Promise<void> {
  const seen = isShown ? await appearActive(tx, caller) : await appearOffline(tx, caller)
  if (seen) await emitPresence(tx, caller, seen, await visibilityAudience(tx.db, caller.realm, caller))
}

async function appearActive(tx: Tx, caller: Caller): Promise<Seen | undefined> {
  const recorded = await storePresence(tx, caller, 'active')
  return recorded && seenNow(recorded.now)
}

/** Never moves the last activity forward: a user who was inactive for longer stays so. */
async function appearOffline(tx: Tx, caller: Caller): Promise<Seen | undefined> {
  const offlineSince = sql`now() - make_interval(secs => ${hiddenSeconds})`
  return maybeOne<Seen>(tx.db)`
    update presence p
       set last_active_time = case when last_active_time > ${offlineSince} then ${offlineSince} else last_active_time end,
           last_connected_time = ${offlineSince}, update_id = pg_current_xact_id()::text::bigint
      from users u
     where p.realm_id = ${tx.realmId} and p.user_id = ${caller.id} and u.realm_id = p.realm_id
       and u.id = p.user_id
       and last_connected_time > ${offlineSince}
    returning ${seenColumns}`
}

function seenNow(now: number): Seen {
  return { active: now, connected: now }
}

async function emitPresence(tx: Tx, caller: Caller, seen: Seen, audience: Audience): Promise<void> {
  const [self] = await findUsers(tx.db, caller.state, [caller.id])
  const { website } = legacyRecord(seen)
  tx.emit(
    {
      type: 'presence',
      user_id: caller.id,
      email: apiEmail(self!, fakeDomain(caller.realm)),
      server_timestamp: serverTimestamp(),
      presence: { website },
    },
    audience,
  )
}
