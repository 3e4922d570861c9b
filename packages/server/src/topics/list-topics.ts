import { sql } from 'kysely'
import type { Channel } from '../channels/access.ts'
import type { Db } from '../platform/db/pool.ts'
import type { Caller } from '../users/caller.ts'

export interface TopicRow {
  name: string
  max_id: number
}

/** A channel's topics with their newest message, the newest first, as far as the caller may read. */
export async function readTopics(db: Db, caller: Caller, channel: Channel): Promise<TopicRow[]> {
  const topics = channel.history_public_to_subscribers
    ? await wholeHistory(db, channel)
    : await receivedHistory(db, caller, channel)
  return topics.sort((a, b) => b.max_id - a.max_id)
}

async function wholeHistory(db: Db, { realm_id, id }: Channel): Promise<TopicRow[]> {
  const { rows } = await sql<TopicRow>`
    select t.name, newest.id as max_id
      from topics t
      join lateral (select m.id from messages m where m.realm_id = ${realm_id} and m.topic_id = t.id
                     order by m.id desc limit 1) newest on true
     where t.realm_id = ${realm_id} and t.channel_id = ${id}`.execute(db)
  return rows
}

/** Only what the caller received: said while they were subscribed, or theirs by a flag. */
async function receivedHistory(db: Db, caller: Caller, { realm_id, id }: Channel): Promise<TopicRow[]> {
  const { rows } = await sql<TopicRow>`
    with flagged as materialized (
      select m.topic_id, max(m.id) as id
        from message_flags f join messages m on m.realm_id = f.realm_id and m.id = f.message_id
       where f.realm_id = ${realm_id} and f.user_id = ${caller.id} and m.channel_id = ${id}
       group by m.topic_id
    )
    select t.name, greatest(heard.id, flagged.id) as max_id
      from topics t
      left join lateral (
        select max(newest.id) as id
          from subscription_periods p,
               lateral (select m.id from messages m
                         where m.realm_id = ${realm_id} and m.topic_id = t.id and m.id > p.from_message
                           and (p.to_message is null or m.id <= p.to_message)
                         order by m.id desc limit 1) newest
         where p.realm_id = ${realm_id} and p.user_id = ${caller.id} and p.channel_id = ${id}
      ) heard on true
      left join flagged on flagged.topic_id = t.id
     where t.realm_id = ${realm_id} and t.channel_id = ${id} and (heard.id is not null or flagged.id is not null)`.execute(
    db,
  )
  return rows
}
