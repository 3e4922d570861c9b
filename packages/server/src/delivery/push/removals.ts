import { sql } from 'kysely'
import { loadCaller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import type { Audience } from '../../events/log.ts'
import type { Database } from '../../platform/db/pool.ts'
import { many, maybeOne } from '../../platform/db/query.ts'
import { decideAll } from '../notifications/decide.ts'

type Deps = Pick<Context, 'db' | 'realms'>

/** Events that are looked at in one transaction. */
const batchSize = 500
/** Of one user: older ones are closed with the next event. */
const maxMessages = 200
/** After this time, a notification is no longer closed. */
const shownDays = 7

/** What can end a notification: reading, deleting, editing, moving, muting, and losing a channel. */
const endingTypes = [
  'update_message_flags',
  'delete_message',
  'update_message',
  'user_topic',
  'muted_users',
  'subscription',
  'stream',
]

interface Ending {
  audience: Audience
  message_ids: number[]
}

/**
 * Reads on in the realm's log, and plans to close the notifications that have nothing to say any more. What is read,
 * deleted or muted therefore costs nothing more. Returns whether there may be more.
 */
export function planRemovals({ db, realms }: Deps, realmId: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const cursor = await maybeOne<{ after: number; upTo: number }>(tx)`
      select coalesce(w.last_event, r.last_event) as after,
             least(r.last_event, coalesce(w.last_event, r.last_event) + ${batchSize}) as "upTo"
        from web_push_cursors w join realm_counters r on r.realm_id = w.realm_id
       where w.realm_id = ${realmId} and w.last_event is distinct from r.last_event
         for update of w skip locked`
    if (!cursor) return false
    const shown = await findShown(tx, realmId, cursor)
    for (const [userId, messageIds] of shown) {
      const viewer = await loadCaller(tx, await realms.get(realmId), userId)
      if (!viewer) continue
      const decided = await decideAll(tx, viewer, messageIds)
      const isStill = new Set(decided.filter(({ decision }) => decision.push).map(({ message }) => message.id))
      const ended = messageIds.filter((id) => !isStill.has(id))
      if (ended.length > 0) await insertRemovals(tx, realmId, userId, ended)
    }
    await sql`update web_push_cursors set last_event = ${cursor.upTo} where realm_id = ${realmId}`.execute(tx)
    return cursor.upTo - cursor.after === batchSize
  })
}

/** The messages that may have ended, of those that are shown, by user. */
async function findShown(
  db: Database,
  realmId: number,
  { after, upTo }: { after: number; upTo: number },
): Promise<Map<number, number[]>> {
  const endings = await many<Ending>(db)`
    select e.audience,
           array(select jsonb_array_elements_text(case when jsonb_typeof(p -> 'message_ids') = 'array' then p -> 'message_ids'
                                                       else coalesce('[]'::jsonb || (p -> 'message_id'), '[]') end)::bigint) as message_ids
      from events e cross join lateral (
        select case when e.type in ('delete_message', 'update_message') then e.payload::jsonb else '{}' end as p) payload
     where e.realm_id = ${realmId} and e.seq > ${after} and e.seq <= ${upTo} and e.type = any(${endingTypes}::text[])`
  if (endings.length === 0) return new Map()
  const messageIds = [...new Set(endings.flatMap(({ message_ids }) => message_ids))]
  const userIds = [
    ...new Set(endings.flatMap(({ audience, message_ids }) => (message_ids.length > 0 ? [] : (audience.users ?? [])))),
  ]
  const rows = await many<{ user_id: number; message_id: number }>(db)`
    select distinct user_id, message_id from notification_trail
     where realm_id = ${realmId} and way = 'push' and outcome = 'sent' and ended_at is null
       and at > now() - make_interval(days => ${shownDays})
       and (message_id = any(${messageIds}::bigint[]) or user_id = any(${userIds}::bigint[]))
     order by user_id, message_id desc`
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id)
  return new Map([...byUser].map(([id, own]) => [id, own.slice(0, maxMessages).map(({ message_id }) => message_id)]))
}

/**
 * Browsers that send through Apple are signed out of push if they get something that shows nothing: there, it goes along
 * with the next notification.
 */
const appleHost = '%://web.push.apple.com/%'

async function insertRemovals(db: Database, realmId: number, userId: number, messageIds: number[]): Promise<void> {
  await sql`
    with ended as (
      update notification_trail set ended_at = now()
       where realm_id = ${realmId} and user_id = ${userId} and message_id = any(${messageIds}::bigint[]) and way = 'push'
         and outcome = 'sent' and ended_at is null
      returning message_id, target_id
    )
    insert into web_push_deliveries (subscription_id, realm_id, message_id, verb, due_at)
    select w.id, w.realm_id, e.message_id, 'remove',
           case when w.endpoint like ${appleHost} then 'infinity' else now() end
      from ended e join web_push_subscriptions w on w.realm_id = ${realmId} and w.id = e.target_id
     order by w.id, e.message_id
    on conflict do nothing`.execute(db)
}
