import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { many, one } from '../../platform/db/query.ts'
import { unixSeconds } from '../../platform/text.ts'
import { isReadableByUser } from '../channels/visibility/conditions.ts'
import { topicKey } from '../messages/model/normalize-text.ts'
import { policies } from '../messages/model/read-state.ts'
import type { Policy, PolicyChange } from '../messages/model/topic-policy.ts'

/**
 * Emits changed policies to their users, in the legacy form first. Call it after the policies were written. The legacy
 * form contains only muted topics and can be left out if these do not change.
 */
export async function emitPolicies(tx: Tx, changes: PolicyChange[], mutesMayChange = true): Promise<void> {
  if (changes.length === 0) return
  const userIds = [...new Set(changes.map(({ user_id }) => user_id))]
  const muted = mutesMayChange ? await readMuted(tx, userIds) : undefined
  for (const { user_id, last_updated, ...change } of changes) {
    const audience = { users: [user_id] }
    if (muted) tx.emit({ type: 'muted_topics', muted_topics: muted.get(user_id) ?? [] }, audience)
    tx.emit({ type: 'user_topic', ...change, last_updated: unixSeconds(last_updated) }, audience)
  }
}

/** The name of topic `t` as the user of policy `v` spelled it, unless the topic was renamed since. */
export const policyTopic = sql`case when lower(v.spelling) = lower(t.name) then v.spelling else t.name end`

type Muted = [channel: string, topic: string, when: number][]

/** The topics that these users muted, in channels that are not archived. */
async function readMuted(tx: Tx, userIds: number[]): Promise<Map<number, Muted>> {
  const rows = await many<{ user_id: number; topics: Muted }>(tx.db)`
    select v.user_id, json_agg(json_build_array(c.name, ${policyTopic}, floor(extract(epoch from v.last_updated))::bigint)
                               order by c.id, t.name_key) as topics
      from user_topics v
      join topics t on t.realm_id = v.realm_id and t.id = v.topic_id
      join channels c on c.realm_id = t.realm_id and c.id = t.channel_id
     where v.realm_id = ${tx.realmId} and v.user_id = any(${userIds}::bigint[])
       and v.visibility_policy = ${sql.lit(policies.muted)} and not v.is_hidden and not c.is_archived
     group by v.user_id`
  return new Map(rows.map(({ user_id, topics }) => [user_id, topics]))
}

/** A topic identified by channel and name. Case is ignored. */
export interface TopicPlace {
  channelId: number
  topic: string
}

/** Every policy that can be stored. */
const anyPolicy: Policy[] = [1, 2, 3]

/**
 * Sets the policy of users for a topic and emits the changes. Existing policies are replaced only if they are in
 * `from`. Returns the users whose policy changed.
 */
export async function setPolicy(
  tx: Tx,
  userIds: number[],
  place: TopicPlace,
  policy: Policy,
  from = anyPolicy,
): Promise<number[]> {
  const topic = await lockTopic(tx, place)
  if (policy === 0) return topic ? removePolicies(tx, { ...topic, name: place.topic }, userIds) : []
  const { id } = topic ?? (await createTopic(tx, place))
  const rows = await many<{ user_id: number; last_updated: Date }>(tx.db)`
    insert into user_topics (realm_id, user_id, topic_id, visibility_policy, spelling)
    select ${tx.realmId}, u, ${id}, ${policy}, ${place.topic} from unnest(${userIds}::bigint[]) u order by u
    on conflict (realm_id, user_id, topic_id)
    do update set visibility_policy = excluded.visibility_policy, spelling = excluded.spelling, last_updated = now(),
                  is_hidden = false
     where user_topics.visibility_policy <> excluded.visibility_policy
       and user_topics.visibility_policy = any(${from}::smallint[])
    returning user_id, last_updated`
  const change = { stream_id: place.channelId, topic_name: place.topic, visibility_policy: policy }
  const changes = rows.map((row) => ({ ...row, ...change }))
  await emitPolicies(tx, changes, [policy, ...from].includes(policies.muted))
  return rows.map(({ user_id }) => user_id)
}

interface Topic {
  id: number
  name: string
  channel_id: number
}

/** Loads the topic, if it exists, and locks it against deletion. */
async function lockTopic(tx: Tx, { channelId, topic }: TopicPlace): Promise<Topic | undefined> {
  return tx.db
    .selectFrom('topics')
    .select(['id', 'name', 'channel_id'])
    .where(matches({ realm_id: tx.realmId, channel_id: channelId, name_key: topicKey(topic) }))
    .forKeyShare()
    .executeTakeFirst()
}

/** Locks the realm's counter first, like every transaction that creates topics. */
async function createTopic(tx: Tx, { channelId, topic }: TopicPlace): Promise<Topic> {
  await tx.position()
  return one<Topic>(tx.db)`
    insert into topics (realm_id, channel_id, name, name_key)
    values (${tx.realmId}, ${channelId}, ${topic}, ${topicKey(topic)})
    on conflict (realm_id, channel_id, name_key) do update set name_key = excluded.name_key
    returning id, name, channel_id`
}

/** Deletes the policies for a topic: those of the given users, or all. */
export async function removePolicies(tx: Tx, topic: Topic, userIds?: number[]): Promise<number[]> {
  const ofUsers = userIds ? sql`user_id = any(${userIds}::bigint[])` : sql`true`
  const rows = await many<{ user_id: number; last_updated: Date }>(tx.db)`
    delete from user_topics where realm_id = ${tx.realmId} and topic_id = ${topic.id} and ${ofUsers}
    returning user_id, now() as last_updated`
  const change = { stream_id: topic.channel_id, topic_name: topic.name, visibility_policy: 0 } as const
  await emitPolicies(
    tx,
    rows.map((row) => ({ ...row, ...change })),
  )
  return rows.map(({ user_id }) => user_id)
}

interface PolicyScope {
  channelIds?: number[]
  userIds?: number[]
}

/**
 * Hides the policies of users who can no longer read the channel, because they must not learn later names of the channel
 * and its topics, and shows those of users who can read it again. Call it after access changed, for some channels, for
 * some users, or for both.
 */
export async function updateHiddenPolicies(tx: Tx, { channelIds, userIds }: PolicyScope): Promise<void> {
  const inChannels = channelIds === undefined ? sql`true` : sql`c.id = any(${channelIds}::bigint[])`
  const ofUsers = userIds === undefined ? sql`true` : sql`u.id = any(${userIds}::bigint[])`
  const rows = await many<PolicyChange & { is_archived: boolean }>(tx.db)`
    update user_topics v set is_hidden = not v.is_hidden from topics t, channels c, users u
     where v.realm_id = ${tx.realmId} and t.realm_id = v.realm_id and t.id = v.topic_id
       and c.realm_id = t.realm_id and c.id = t.channel_id and u.realm_id = v.realm_id and u.id = v.user_id
       and ${inChannels} and ${ofUsers} and v.is_hidden = ${isReadableByUser}
    returning v.user_id, c.id as stream_id, ${policyTopic} as topic_name, c.is_archived,
              case when v.is_hidden then 0 else v.visibility_policy end as visibility_policy,
              case when v.is_hidden then now() else v.last_updated end as last_updated`
  // Policies of an archived channel are not shown in any case.
  const changes = rows.filter((row) => !row.is_archived).map(({ is_archived: _, ...change }) => change)
  await emitPolicies(tx, changes)
}

/** Emits that policies disappear or come back. While a channel is archived, they are stored but hidden from clients. */
export async function emitArchivedPolicies(tx: Tx, channelId: number, isArchived: boolean): Promise<void> {
  const rows = await many<PolicyChange>(tx.db)`
    select v.user_id, t.channel_id as stream_id, ${policyTopic} as topic_name, v.last_updated,
           ${isArchived ? sql`0` : sql`v.visibility_policy`} as visibility_policy
      from user_topics v join topics t on t.realm_id = v.realm_id and t.id = v.topic_id
     where v.realm_id = ${tx.realmId} and t.channel_id = ${channelId} and not v.is_hidden
     order by v.user_id, t.id`
  await emitPolicies(tx, rows)
}
