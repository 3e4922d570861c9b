import type { Caller } from '../../callers/caller.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import type { Channel } from '../channels/access.ts'
import { sentDuringPeriod } from '../messages/model/received.ts'
import { topicOfMessage } from '../messages/model/topic-spelling.ts'

export interface TopicRow {
  name: string
  max_id: number
}

/** The topics of a channel that the caller may read, each as its newest message spells it, newest first. */
export async function readTopics(db: Db, caller: Caller, channel: Channel): Promise<TopicRow[]> {
  const topics = channel.history_public_to_subscribers
    ? await wholeHistory(db, channel)
    : await receivedHistory(db, caller, channel)
  return topics.sort((a, b) => b.max_id - a.max_id)
}

async function wholeHistory(db: Db, { realm_id, id }: Channel): Promise<TopicRow[]> {
  return many<TopicRow>(db)`
    select newest.name, newest.id as max_id
      from topics t
      join lateral (select m.id, ${topicOfMessage} as name from messages m
                     where m.realm_id = ${realm_id} and m.topic_id = t.id
                     order by m.id desc limit 1) newest on true
     where t.realm_id = ${realm_id} and t.channel_id = ${id}`
}

/** Only messages that the caller received: sent while they were subscribed, or with a flags row. */
async function receivedHistory(db: Db, caller: Caller, { realm_id, id }: Channel): Promise<TopicRow[]> {
  return many<TopicRow>(db)`
    with flagged as materialized (
      select m.topic_id, max(m.id) as id
        from message_flags f join messages m on m.realm_id = f.realm_id and m.id = f.message_id
       where f.realm_id = ${realm_id} and f.user_id = ${caller.id} and m.channel_id = ${id}
       group by m.topic_id
    )
    select (select ${topicOfMessage} from messages m
             where m.realm_id = ${realm_id} and m.id = greatest(received.id, flagged.id)) as name,
           greatest(received.id, flagged.id) as max_id
      from topics t
      left join lateral (
        select max(newest.id) as id
          from subscription_periods p,
               lateral (select m.id from messages m
                         where m.realm_id = ${realm_id} and m.topic_id = t.id and ${sentDuringPeriod}
                         order by m.id desc limit 1) newest
         where p.realm_id = ${realm_id} and p.user_id = ${caller.id} and p.channel_id = ${id}
      ) received on true
      left join flagged on flagged.topic_id = t.id
     where t.realm_id = ${realm_id} and t.channel_id = ${id} and (received.id is not null or flagged.id is not null)`
}
