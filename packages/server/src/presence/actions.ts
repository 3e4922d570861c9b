import { sql } from 'kysely'
import type { Audience } from '../events/log.ts'
import type { Tx } from '../events/transact.ts'
import { fakeDomain } from '../realms/state.ts'
import type { Caller } from '../users/caller.ts'
import { findUsers } from '../users/find-users.ts'
import { apiEmail } from '../users/user-object.ts'
import { usersWhoSee, visibilityAudience } from '../users/visible-users.ts'
import { legacyRecord, type Seen, serverTimestamp } from './queries.ts'

type Status = 'active' | 'idle'

/** Signs of life closer together than this are one. */
const throttleSeconds = 55
/** Whoever did nothing for this long and then does something has come back. */
const awaySeconds = 130
/** Where more would hear of it nobody is told: they learn it with their own next ping. */
const mostListeners = 100

/** Writes down that somebody is here, and tells others if they have come back. */
export async function recordPresence(tx: Tx, caller: Caller, status: Status): Promise<void> {
  if (!caller.settings.presence_enabled) return
  const recorded = await storePresence(tx, caller, status)
  if (!recorded?.came_back) return
  const listeners = await usersWhoSee(tx.db, caller.realm, caller.id, mostListeners + 1)
  if (listeners.length <= mostListeners) await announceSign(tx, caller, seenNow(recorded.now), { users: listeners })
}

/** Undefined if the last record is too young to be replaced. What is read while writing is still the old record. */
async function storePresence(tx: Tx, caller: Caller, status: Status) {
  const isActive = status === 'active'
  const { rows } = await sql<{ now: Date; came_back: boolean }>`
    insert into presence as p (realm_id, user_id, last_active_time, last_connected_time, update_id)
    values (${tx.realmId}, ${caller.id}, case when ${isActive} then now() end, now(), pg_current_xact_id()::text::bigint)
    on conflict (realm_id, user_id) do update
       set last_active_time = coalesce(excluded.last_active_time, p.last_active_time),
           last_connected_time = excluded.last_connected_time,
           update_id = excluded.update_id
     where ${isOld('last_connected_time')} or (${isActive} and ${isOld('last_active_time')})
    returning now() as now,
              ${isActive} and coalesce((select before.last_active_time <= now() - make_interval(secs => ${awaySeconds})
                                          from presence before
                                         where before.realm_id = p.realm_id and before.user_id = p.user_id),
                                       true) as came_back`.execute(tx.db)
  return rows[0]
}

function isOld(column: string) {
  return sql`coalesce(${sql.ref(`p.${column}`)} <= now() - make_interval(secs => ${throttleSeconds}), true)`
}

/** An account that is gone was never seen: should it come back, nobody knows when it was here last. */
export async function deletePresence(tx: Tx, userId: number): Promise<void> {
  await tx.db.deleteFrom('presence').where('realm_id', '=', tx.realmId).where('user_id', '=', userId).execute()
}

/** Longer ago than clients count somebody as being here. */
const goneSeconds = 320

/**
 * Somebody who no longer shows when they are here seems to have gone; one who shows it again has come back. Everybody
 * who may know is told, however many.
 */
export async function recordVisibility(tx: Tx, caller: Caller, isShown: boolean): Promise<void> {
  const seen = isShown ? await comeBack(tx, caller) : await seemGone(tx, caller)
  if (seen) await announceSign(tx, caller, seen, await visibilityAudience(tx.db, caller.realm, caller))
}

async function comeBack(tx: Tx, caller: Caller): Promise<Seen | undefined> {
  const recorded = await storePresence(tx, caller, 'active')
  return recorded && seenNow(recorded.now)
}

/** Whoever did nothing for longer than that did not do something later because of this. */
async function seemGone(tx: Tx, caller: Caller): Promise<Seen | undefined> {
  const gone = sql`now() - make_interval(secs => ${goneSeconds})`
  const { rows } = await sql<Seen>`
    update presence p set last_active_time = case when last_active_time > ${gone} then ${gone} else last_active_time end,
           last_connected_time = ${gone}, update_id = pg_current_xact_id()::text::bigint
      from users u
     where p.realm_id = ${tx.realmId} and p.user_id = ${caller.id} and u.id = p.user_id and last_connected_time > ${gone}
    returning coalesce(p.last_active_time, u.date_joined) as active, p.last_connected_time as connected`.execute(tx.db)
  return rows[0]
}

function seenNow(now: Date): Seen {
  return { active: now, connected: now }
}

async function announceSign(tx: Tx, caller: Caller, seen: Seen, audience: Audience): Promise<void> {
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
