import type { DeletedMessage } from '@parley/api/conversations/deletion'
import { restorableDays } from '@parley/api/limits'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { many, maybeOne } from '../../../platform/db/query.ts'
import { isOpenTo } from '../model/access.ts'
import { wasSubscribed } from '../model/received.ts'

/**
 * Deleted messages `m` that the moderator may see: what they could read in channels, and direct messages that they
 * deleted themselves. The channel is the one where the topic is now.
 */
function deletedFor(caller: Caller): Fragment {
  const reader = { realm: caller.realm_id, user: caller.id, channel: sql`c.id` }
  return sql`
    from deleted_messages m
    left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
    left join channels c on c.realm_id = m.realm_id and c.id = coalesce(t.channel_id, m.channel_id)
   where m.realm_id = ${caller.realm_id}
     and m.deleted_at > now() - make_interval(days => ${sql.lit(restorableDays)})
     and case when m.channel_id is null then m.deleted_by = ${caller.id}
              else ${isOpenTo(caller)} and (c.history_public_to_subscribers or ${wasSubscribed(reader)}) end`
}

/** One page of deletions, newest first. */
export async function readDeletedMessages(
  db: Db,
  caller: Caller,
  { before = null, limit }: { before?: number | null | undefined; limit: number },
): Promise<DeletedMessage[]> {
  return many<DeletedMessage>(db)`
    select m.id, m.number, m.sender_id, floor(extract(epoch from m.date_sent))::bigint as timestamp, m.deleted_by,
           floor(extract(epoch from m.deleted_at))::bigint as deleted_timestamp, c.id as stream_id,
           coalesce(m.topic, '') as topic, m.message ->> 'content' as content,
           coalesce((select d.user_ids from direct_conversations d
                      where d.realm_id = m.realm_id and d.recipient_id = m.recipient_id), '{}') as user_ids
    ${deletedFor(caller)} and (${before}::bigint is null or m.number < ${before})
     order by m.number desc limit ${limit}`
}

/** Where a deleted message belongs. The topic may have been deleted as well. */
export interface FormerPlace {
  channel_id: number | null
  recipient_id: number
  topic_id: number | null
  topic: string | null
  sender_id: number
}

export async function findDeleted(db: Db, caller: Caller, id: number): Promise<FormerPlace | undefined> {
  return maybeOne<FormerPlace>(db)`
    select c.id as channel_id, coalesce(c.recipient_id, m.recipient_id) as recipient_id, t.id as topic_id, m.topic,
           m.sender_id
    ${deletedFor(caller)} and m.id = ${id}`
}
