import type { Caller } from '../../callers/caller.ts'
import type { Db } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'

/** Whether the caller is or was subscribed to the channel, or has a policy for one of its topics. */
export async function hasKnownChannel(db: Db, { realm_id, id }: Caller, channelId: number): Promise<boolean> {
  const { known } = await one<{ known: boolean }>(db)`
    select exists (select 1 from subscriptions
                    where realm_id = ${realm_id} and user_id = ${id} and channel_id = ${channelId})
        or exists (select 1 from user_topics v join topics t on t.realm_id = v.realm_id and t.id = v.topic_id
                    where v.realm_id = ${realm_id} and v.user_id = ${id} and t.channel_id = ${channelId}) as known`
  return known
}
