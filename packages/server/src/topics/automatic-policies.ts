import { sql } from 'kysely'
import { type Context, transactIn } from '../context.ts'
import type { Tx } from '../events/transact.ts'
import { policies } from '../messages/model/read-state.ts'
import type { Sent } from '../messages/send/send.ts'
import type { Db } from '../platform/db/pool.ts'
import { RealmCache } from '../realms/realm-cache.ts'
import type { Caller } from '../users/caller.ts'
import { type Policy, setPolicy } from './policies.ts'

type Sending = Pick<Context, 'db' | 'follower' | 'wake' | 'log'>
type Topic = NonNullable<Sent['topic']>

const { muted, unmuted, followed } = policies

/** From when on somebody wants to follow or unmute topics by what they do there. */
const when = { participating: 1, sending: 2, beginning: 3 } as const

/**
 * Follows or unmutes the topic for the sender and for those mentioned, as they wish. Returns the sender's new policy.
 * Mostly nothing is to be done, which is known without asking the database.
 */
export async function policyAfterSending(ctx: Sending, sender: Caller, sent: Sent): Promise<2 | 3 | undefined> {
  const { topic } = sent
  if (!topic) return undefined
  const wanted = await policyForSending(ctx.db, sender, topic, sent.id)
  const own = wanted && (await isRaise(ctx.db, sender, topic, wanted)) ? wanted : undefined
  const fans = sent.mentioned.length > 0 ? await mentionedFollowers(ctx.db, sender, topic, sent.mentioned) : []
  if (own === undefined && fans.length === 0) return undefined
  return transactIn(ctx, sender.realm_id, async (tx) => {
    const place = { channelId: topic.channelId, topic: topic.name }
    if (fans.length > 0) await setPolicy(tx, fans, place, followed, [unmuted])
    const raised = own ? await setPolicy(tx, [sender.id], place, own, below(own)) : []
    return raised.length > 0 ? own : undefined
  })
}

/** Does the same for somebody who takes part in another way than by sending. */
export async function policyAfterTakingPart(
  tx: Tx,
  actor: Caller,
  { topicId, channelId }: { topicId: number; channelId: number },
): Promise<void> {
  const policy = await wantedPolicy(tx.db, actor, channelId, (wish) => wish === when.participating)
  if (!policy) return
  const topic = await tx.db
    .selectFrom('topics')
    .select('name')
    .where('realm_id', '=', tx.realmId)
    .where('id', '=', topicId)
    .executeTakeFirst()
  if (topic) await setPolicy(tx, [actor.id], { channelId, topic: topic.name }, policy, below(policy))
}

/** What a policy may take the place of: following and unmuting by themselves never show less. */
function below(policy: Policy): Policy[] {
  return policy === followed ? [muted, unmuted] : [muted]
}

async function policyForSending(db: Db, sender: Caller, topic: Topic, messageId: number) {
  const begins = await isBeginning(db, sender, topic, messageId)
  return wantedPolicy(
    db,
    sender,
    topic.channelId,
    (wish) => wish <= when.sending || (wish === when.beginning && begins),
  )
}

async function wantedPolicy(
  db: Db,
  actor: Caller,
  channelId: number,
  applies: (wish: number) => boolean,
): Promise<2 | 3 | undefined> {
  if (actor.bot_type !== null) return undefined
  const { automatically_follow_topics_policy, automatically_unmute_topics_in_muted_streams_policy } = actor.settings
  if (applies(automatically_follow_topics_policy as number)) return followed
  if (!applies(automatically_unmute_topics_in_muted_streams_policy as number)) return undefined
  return (await hasMuted(db, actor, channelId)) ? unmuted : undefined
}

/** Keys are `<user id> <channel id>`. */
const mutedChannels = new RealmCache<`${number} ${number}`, boolean>({ entries: 20_000 })
/** By topic id. */
const begunTopics = new RealmCache<number, true>({ entries: 20_000 })

/** Safe to cache: muting a channel bumps `access_version`. */
async function hasMuted(db: Db, { state, realm_id, id }: Caller, channelId: number): Promise<boolean> {
  return mutedChannels.getOrLoad(state, `${id} ${channelId}`, async () => {
    const { rows } = await sql<{ yes: boolean }>`
      select exists (select 1 from subscriptions where realm_id = ${realm_id} and user_id = ${id}
                        and channel_id = ${channelId} and is_active and is_muted) as yes`.execute(db)
    return rows[0]!.yes
  })
}

/** Whether the message is the first of its topic. That a topic has begun is cached. */
async function isBeginning(db: Db, { state, realm_id }: Caller, { id }: Topic, messageId: number): Promise<boolean> {
  if (begunTopics.get(state, id)) return false
  const { rows } = await sql<{ first: number }>`
    select min(id) as first from messages where realm_id = ${realm_id} and topic_id = ${id}`.execute(db)
  begunTopics.set(state, id, true)
  return rows[0]!.first === messageId
}

async function isRaise(db: Db, { realm_id, id }: Caller, topic: Topic, policy: Policy): Promise<boolean> {
  const present = await db
    .selectFrom('user_topics')
    .select('visibility_policy')
    .where('realm_id', '=', realm_id)
    .where('user_id', '=', id)
    .where('topic_id', '=', topic.id)
    .executeTakeFirst()
  return !present || present.visibility_policy < policy
}

/** People among those mentioned who want to follow for it, and have neither muted nor followed the topic already. */
async function mentionedFollowers(db: Db, { realm_id }: Caller, topic: Topic, ids: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select u.id from users u
      left join user_topics v on v.realm_id = u.realm_id and v.user_id = u.id and v.topic_id = ${topic.id}
     where u.realm_id = ${realm_id} and u.id = any(${ids}::bigint[]) and u.bot_type is null
       and coalesce((u.settings ->> 'automatically_follow_topics_where_mentioned')::boolean, true)
       and coalesce(v.visibility_policy, ${sql.lit(unmuted)}) = ${sql.lit(unmuted)}
     order by u.id`.execute(db)
  return rows.map(({ id }) => id)
}
