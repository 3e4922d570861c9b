import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { RealmCache } from '../../callers/realm-cache.ts'
import { type Commits, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column, exists, one } from '../../platform/db/query.ts'
import { findChannel } from '../channels/access.ts'
import { policies } from '../messages/model/read-state.ts'
import { wasReceived } from '../messages/model/received.ts'
import type { Policy } from '../messages/model/topic-policy.ts'
import { readTopicOf } from '../messages/model/topic-spelling.ts'
import type { Sent } from '../messages/send/send.ts'
import { setPolicy } from './policies.ts'

type PolicyDeps = Commits
type Topic = NonNullable<Sent['topic']>

const { muted, unmuted, followed } = policies

/** Values of the settings that say which action makes a user follow or unmute a topic. */
const trigger = { participating: 1, sending: 2, beginning: 3 } as const

/**
 * Follows or unmutes the topic for the sender and for mentioned users, according to their settings. Returns the
 * sender's new policy. Usually there is nothing to do, and caches answer that without a query.
 */
export async function policyAfterSending(ctx: PolicyDeps, sender: Caller, sent: Sent): Promise<2 | 3 | undefined> {
  const { topic } = sent
  if (!topic) return undefined
  const target = await policyForSending(ctx.db, sender, topic, sent.id)
  const own = target && (await isRaise(ctx.db, sender, topic, target)) ? target : undefined
  const followers = sent.mentioned.length > 0 ? await mentionedFollowers(ctx.db, sender, topic, sent.mentioned) : []
  if (own === undefined && followers.length === 0) return undefined
  return transactIn(ctx, sender.realm_id, async (tx) => {
    const place = { channelId: topic.channelId, topic: topic.name }
    const raised = own ? await setPolicy(tx, [sender.id], place, own, below(own)) : []
    const following = followers.length > 0 ? await setPolicy(tx, followers, place, followed, [unmuted]) : []
    // Senders may mention themselves.
    return following.includes(sender.id) ? followed : raised.length > 0 ? own : undefined
  })
}

/** The same for a user who takes part in a topic without sending, for example by reacting. */
export async function policyAfterTakingPart(
  tx: Tx,
  actor: Caller,
  { messageId, channelId }: { messageId: number; channelId: number },
): Promise<void> {
  const policy = await targetPolicy(tx.db, actor, channelId, (setting) => setting === trigger.participating)
  if (!policy) return
  const topic = await readTopicOf(tx, messageId)
  if (topic !== null) await setPolicy(tx, [actor.id], { channelId, topic }, policy, below(policy))
}

/** The policies that this one may replace: automatic changes never hide more. */
function below(policy: Policy): Policy[] {
  return policy === followed ? [muted, unmuted] : [muted]
}

async function policyForSending(db: Db, sender: Caller, topic: Topic, messageId: number) {
  const begins = await isBeginning(db, sender, topic, messageId)
  return targetPolicy(
    db,
    sender,
    topic.channelId,
    (setting) => setting <= trigger.sending || (setting === trigger.beginning && begins),
  )
}

async function targetPolicy(
  db: Db,
  actor: Caller,
  channelId: number,
  applies: (setting: number) => boolean,
): Promise<2 | 3 | undefined> {
  if (actor.bot_type !== null) return undefined
  const { automatically_follow_topics_policy, automatically_unmute_topics_in_muted_streams_policy } = actor.settings
  if (applies(automatically_follow_topics_policy)) return followed
  if (!applies(automatically_unmute_topics_in_muted_streams_policy)) return undefined
  return (await hasMuted(db, actor, channelId)) ? unmuted : undefined
}

/** Keys are `<user id> <channel id>`. */
const mutedChannels = new RealmCache<`${number} ${number}`, boolean>({ entries: 20_000 })
/** Topics that are known to have messages, by topic id; with protected history, `<user id> <topic id>`. */
const begunTopics = new RealmCache<number | `${number} ${number}`, true>({ entries: 20_000 })

/** Safe to cache: muting a channel bumps `access_version`. */
function hasMuted(db: Db, { state, realm_id, id }: Caller, channelId: number): boolean | Promise<boolean> {
  return mutedChannels.getOrLoad(state, `${id} ${channelId}`, async () => {
    const { yes } = await one<{ yes: boolean }>(db)`
      select exists (select 1 from subscriptions where realm_id = ${realm_id} and user_id = ${id}
                        and channel_id = ${channelId} and is_active and is_muted) as yes`
    return yes
  })
}

/**
 * Whether the message is the first of its topic that the sender can read: with protected history, nothing may reveal
 * that there are others. Caches which topics have messages.
 */
async function isBeginning(db: Db, sender: Caller, { id, channelId }: Topic, messageId: number): Promise<boolean> {
  const { state, realm_id } = sender
  const isShared = (await findChannel(db, sender, channelId))?.history_public_to_subscribers
  const key = isShared ? id : (`${sender.id} ${id}` as const)
  if (begunTopics.get(state, key)) return false
  const isKnown = isShared ? sql`true` : wasReceived({ realm: realm_id, user: sender.id, channel: channelId })
  const isFirst = !(await exists(db)`
    select 1 from messages m
     where m.realm_id = ${realm_id} and m.topic_id = ${id} and m.id < ${messageId} and ${isKnown} limit 1`)
  begunTopics.set(state, key, true)
  return isFirst
}

async function isRaise(db: Db, { realm_id, id }: Caller, topic: Topic, policy: Policy): Promise<boolean> {
  const current = await db
    .selectFrom('user_topics')
    .select('visibility_policy')
    .where(matches({ realm_id, user_id: id, topic_id: topic.id }))
    .executeTakeFirst()
  return !current || current.visibility_policy < policy
}

/** Mentioned users who follow topics where they are mentioned, and have neither muted nor followed this one. */
async function mentionedFollowers(db: Db, { realm_id }: Caller, topic: Topic, ids: number[]): Promise<number[]> {
  return column<number>(db)`
    select u.id from users u
      left join user_topics v on v.realm_id = u.realm_id and v.user_id = u.id and v.topic_id = ${topic.id}
     where u.realm_id = ${realm_id} and u.id = any(${ids}::bigint[]) and u.bot_type is null
       and coalesce((u.settings ->> 'automatically_follow_topics_where_mentioned')::boolean, true)
       and coalesce(v.visibility_policy, ${sql.lit(unmuted)}) = ${sql.lit(unmuted)}
     order by u.id`
}
