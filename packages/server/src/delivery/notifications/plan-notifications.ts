import { sql } from 'kysely'
import { flagBits } from '../../conversations/messages/model/flag-bits.ts'
import { policies } from '../../conversations/messages/model/read-state.ts'
import type { Fragment } from '../../platform/db/fragment.ts'
import type { Database } from '../../platform/db/pool.ts'
import { maybeOne } from '../../platform/db/query.ts'

/** Messages that are looked at in one transaction. */
const batchSize = 500
/** After a longer outage, older messages no longer notify anyone. */
const maxAgeHours = 24

/** Messages of a realm with ids above `after`, up to `upTo`. */
export interface NewMessages {
  realmId: number
  after: number
  upTo: number
}

/**
 * Plans the notifications about the realm's next messages, and moves the cursor past them. Sending a message therefore
 * costs nothing, however many users it concerns. Message ids follow commit order, so that none is missed. Returns whether
 * there may be more.
 */
export function planNext(
  db: Database,
  cursors: 'web_push_cursors' | 'email_cursors',
  realmId: number,
  plan: (tx: Database, messages: NewMessages) => Promise<void>,
): Promise<boolean> {
  const table = sql.table(cursors)
  return db.transaction().execute(async (tx) => {
    const cursor = await maybeOne<{ after: number; upTo: number }>(tx)`
      select c.last_message as after, least(r.last_message, c.last_message + ${batchSize}) as "upTo"
        from ${table} c join realm_counters r on r.realm_id = c.realm_id
       where c.realm_id = ${realmId} and r.last_message > c.last_message
         for update of c skip locked`
    if (!cursor) return false
    await plan(tx, { realmId, ...cursor })
    await sql`update ${table} set last_message = ${cursor.upTo} where realm_id = ${realmId}`.execute(tx)
    return cursor.upTo - cursor.after === batchSize
  })
}

const { mentioned, topic_wildcard_mentioned, stream_wildcard_mentioned, has_alert_word } = flagBits
const notifying = sql.lit(mentioned | topic_wildcard_mentioned | stream_wildcard_mentioned | has_alert_word)

/**
 * Common table expressions: the messages as `n`, and the users they may concern as `candidates` (id, user_id).
 * Candidates are found by index, without looking at all subscribers. Whether a message really notifies a user is decided
 * when that is sent: decide.ts. `readers` finds the subscribers (channel_id, user_id, wants_all) of the channels in `n`
 * who may want all their messages, or those to everyone.
 */
export function candidatesOf({ realmId, after, upTo }: NewMessages, readers: Fragment): Fragment {
  return sql`
    with n as materialized (
      select m.id, m.channel_id, m.topic_id, m.recipient_id, m.sender_id, m.mentions_channel from messages m
       where m.realm_id = ${realmId} and m.id > ${after} and m.id <= ${upTo}
         and m.date_sent > now() - make_interval(hours => ${maxAgeHours})
    ), readers as (${readers}
    ), concerned as (
      select n.id, d.user_id from n
        join direct_participants d on d.realm_id = ${realmId} and d.recipient_id = n.recipient_id
       where n.channel_id is null
      union
      select n.id, f.user_id from n join message_flags f on f.realm_id = ${realmId} and f.message_id = n.id
       where f.flags & ${notifying} <> 0
      union
      select n.id, v.user_id from n join user_topics v on v.realm_id = ${realmId} and v.topic_id = n.topic_id
       where v.visibility_policy = ${sql.lit(policies.followed)}
      union
      select n.id, r.user_id from n join readers r on r.channel_id = n.channel_id
       where r.wants_all or n.mentions_channel
    ), candidates as (
      select c.id, c.user_id from concerned c join n on n.id = c.id and n.sender_id <> c.user_id
    )`
}
