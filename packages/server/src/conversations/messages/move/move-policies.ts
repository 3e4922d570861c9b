import { sql } from 'kysely'
import type { Tx } from '../../../events/transact.ts'
import { column, many } from '../../../platform/db/query.ts'
import { isReadableByUser } from '../../channels/visibility/conditions.ts'
import { policies } from '../model/read-state.ts'
import type { Policy, PolicyChange } from '../model/topic-policy.ts'
import { isRespelling, type Move, type Policies, type TopicInChannel } from './move-result.ts'

const none = 0
const mostVisibleFirst: Policy[] = [policies.followed, policies.unmuted, none, policies.muted]

/** Call it before the move, with the topics locked. Leaves out policies of users who can no longer read the channel. */
export async function readPolicies(tx: Tx, source: number, target: number | undefined): Promise<Policies> {
  const rows = await many<{ topic_id: number; user_id: number; visibility_policy: Policy; last_updated: Date }>(tx.db)`
    select v.topic_id, v.user_id, v.visibility_policy, v.last_updated
      from user_topics v
      join topics t on t.realm_id = v.realm_id and t.id = v.topic_id
      join channels c on c.realm_id = t.realm_id and c.id = t.channel_id
      join users u on u.realm_id = v.realm_id and u.id = v.user_id
     where v.realm_id = ${tx.realmId} and v.topic_id = any(${[source, target ?? source]}::bigint[]) and ${isReadableByUser}
     order by v.user_id`
  const of = (topic: number | undefined) => rows.filter(({ topic_id }) => topic_id === topic)
  const targetRows = of(target === source ? undefined : target)
  return {
    source: new Map(of(source).map((row) => [row.user_id, row.visibility_policy])),
    target: new Map(targetRows.map((row) => [row.user_id, row.visibility_policy])),
    since: new Map(targetRows.map((row) => [row.user_id, row.last_updated])),
  }
}

/**
 * Policies move along with a whole topic, except those of users who cannot read the target. Returns the changes to emit.
 */
export async function movePolicies(tx: Tx, move: Move): Promise<PolicyChange[]> {
  const { source, target } = move.policies
  if (!move.isWhole || isRespelling(move)) return []
  const users = [...new Set([...source.keys(), ...target.keys()])]
  const readers = await readersOf(tx, move.to, users)
  const decided = new Map(users.map((user) => [user, readers.has(user) ? newPolicyOf(user, move) : none]))
  const last_updated = new Date()
  await storePolicies(tx, move, decided, last_updated)
  const changeOf = (user_id: number, { channel, topic }: TopicInChannel, visibility_policy: Policy) => ({
    user_id,
    stream_id: channel.id,
    topic_name: topic.name,
    visibility_policy,
    last_updated,
  })
  return [...decided].flatMap(([user, policy]) => [
    ...(source.has(user) ? [changeOf(user, move.from, none)] : []),
    ...(policy === (target.get(user) ?? none) ? [] : [changeOf(user, move.to, policy)]),
  ])
}

/** Which of the users may read the channel. */
async function readersOf(tx: Tx, { channel }: TopicInChannel, users: number[]): Promise<Set<number>> {
  const ids = await column<number>(tx.db)`
    select u.id from users u join channels c on c.realm_id = u.realm_id and c.id = ${channel.id}
     where u.realm_id = ${tx.realmId} and u.id = any(${users}::bigint[]) and ${isReadableByUser}`
  return new Set(ids)
}

function newPolicyOf(user: number, { policies: { source, target }, audience, joins }: Move): Policy {
  const before = target.get(user) ?? none
  return audience?.lost.includes(user) ? before : mergePolicies(source.get(user) ?? none, before, joins)
}

/** When topics merge, the policy that shows more survives: the user must not miss messages. */
function mergePolicies(source: Policy, target: Policy, joins: boolean): Policy {
  if (!joins) return source
  return mostVisibleFirst.find((policy) => policy === source || policy === target)!
}

/** A policy for the target topic that does not change keeps its `last_updated`. */
async function storePolicies(tx: Tx, move: Move, decided: Map<number, Policy>, now: Date): Promise<void> {
  const { from, to, policies: previous } = move
  // Hidden policies of other users for the target stay: its name does not change.
  await sql`
    delete from user_topics
     where realm_id = ${tx.realmId} and (topic_id = ${from.topic.id}
        or (topic_id = ${to.topic.id} and user_id = any(${[...decided.keys()]}::bigint[])))`.execute(tx.db)
  const kept = [...decided].filter(([, policy]) => policy !== none)
  const times = kept.map(([user, policy]) => (policy === previous.target.get(user) ? previous.since.get(user)! : now))
  await sql`
    insert into user_topics (realm_id, user_id, topic_id, visibility_policy, spelling, last_updated)
    select ${tx.realmId}, user_id, ${to.topic.id}, policy, ${to.topic.name}, last_updated
      from unnest(${kept.map(([user]) => user)}::bigint[], ${kept.map(([, policy]) => policy)}::smallint[],
                  ${times}::timestamptz[]) as kept(user_id, policy, last_updated)`.execute(tx.db)
}
