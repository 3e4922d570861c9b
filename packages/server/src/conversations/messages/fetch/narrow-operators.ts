import { emptyTopicDisplayName } from '@parley/api/common'
import { lookup } from '@parley/api/lookup'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import { type Fragment, oneOf } from '../../../platform/db/fragment.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column } from '../../../platform/db/query.ts'
import type { Channel } from '../../channels/access.ts'
import { flagBits } from '../model/flag-bits.ts'
import { topicKey } from '../model/normalize-text.ts'
import { isMuted, mentionedEveryone, policies, unreadMessages } from '../model/read-state.ts'
import { BadNarrow, messageIdOf, type Operand } from './narrow-terms.ts'
import { userOfOperand, usersOfOperand } from './narrow-users.ts'

export interface Narrowing {
  db: Db
  caller: Caller
  /** The channels that the narrow's terms name, by operand. */
  channels: Map<Operand, Channel>
}

/** A condition on the message `m`, its topic `t` and the caller's own data about it (personalJoins). */
type Operator = (narrowing: Narrowing, operand: Operand) => Fragment | Promise<Fragment>

const everything = () => sql`true`

const operators: Record<string, Operator> = {
  channel: ({ channels }, operand) => sql`m.recipient_id = ${channels.get(operand)!.recipient_id}`,
  channels: ({ caller }, operand) => inChannels(caller, choice(channelKinds, operand)),
  topic: inTopic,
  dm: inConversation,
  'dm-including': directWith,
  'group-pm-with': inGroupWith,
  sender: async ({ db, caller }, operand) => sql`m.sender_id = ${(await userOfOperand(db, caller, operand)).id}`,
  is: ({ caller }, operand) => choice(properties, operand)(caller),
  has: ({ caller }, operand) => choice(contents, operand)(caller),
  in: ({ caller }, operand) => choice(views, operand)(caller),
  id: (_, operand) => sql`m.id = ${messageIdOf(operand)}`,
  near: everything,
}

/** The condition of one term. */
export async function conditionOf(
  narrowing: Narrowing,
  { operator, operand, negated }: { operator: string; operand: Operand; negated: boolean },
): Promise<Fragment> {
  const build = lookup(operators, operator)
  if (!build) throw new BadNarrow(`unknown operator ${operator}`)
  const condition = await build(narrowing, operand)
  const isNegated = operator === 'near' || (operator === 'in' && operand === 'all') ? false : negated
  // `is not true` instead of `not`: for messages without a topic the condition is null.
  return isNegated ? sql`(${condition}) is not true` : sql`(${condition})`
}

function choice<T>(choices: Record<string, T>, operand: Operand): T {
  const chosen = typeof operand === 'string' ? lookup(choices, operand) : undefined
  if (chosen) return chosen
  throw new BadNarrow(`unknown operand ${JSON.stringify(operand)}`)
}

/** Conditions on the channel `c` for each operand of `channels`. */
export const channelKinds: Record<string, Fragment> = {
  public: sql`not c.invite_only`,
  'web-public': sql`c.is_web_public`,
}

function inChannels({ realm_id }: Caller, kind: Fragment): Fragment {
  return sql`m.channel_id in (select c.id from channels c where c.realm_id = ${realm_id} and ${kind})`
}

/** Looks up the topic ids first, so that the planner can estimate how few messages they have. */
async function inTopic({ db, caller, channels }: Narrowing, operand: Operand): Promise<Fragment> {
  if (typeof operand !== 'string') throw new BadNarrow(`a topic is a string, not ${JSON.stringify(operand)}`)
  const name = operand.trim()
  const key = topicKey(name === emptyTopicDisplayName ? '' : name)
  const channelIds = [...channels.values()].map(({ id }) => id)
  const ids = await column<number>(db)`
    select id from topics where realm_id = ${caller.realm_id} and name_key = ${key}
       and ${channelIds.length === 1 ? oneOf(sql`channel_id`, channelIds) : sql`true`}`
  return oneOf(sql`m.topic_id`, ids)
}

/** Exactly this direct conversation. It always includes the caller, whether the operand names them or not. */
async function inConversation({ db, caller }: Narrowing, operand: Operand): Promise<Fragment> {
  if (Array.isArray(operand) && operand.length === 0) return sql`false`
  const users = await usersOfOperand(db, caller, operand)
  const ids = [...new Set([caller.id, ...users.map(({ id }) => id)])].sort((a, b) => a - b)
  const recipientIds = await column<number>(db)`
    select recipient_id from direct_conversations
     where realm_id = ${caller.realm_id} and user_ids = ${ids}::bigint[]`
  return oneOf(sql`m.recipient_id`, recipientIds)
}

async function directWith({ db, caller }: Narrowing, operand: Operand): Promise<Fragment> {
  const { id } = await userOfOperand(db, caller, operand)
  if (id === caller.id) return sql`m.channel_id is null`
  return sql`m.recipient_id in (
    select d.recipient_id from direct_participants d where d.realm_id = ${caller.realm_id} and d.user_id = ${id})`
}

async function inGroupWith({ db, caller }: Narrowing, operand: Operand): Promise<Fragment> {
  const { id } = await userOfOperand(db, caller, operand)
  return sql`m.recipient_id in (
    select d.recipient_id from direct_participants d join direct_conversations g using (realm_id, recipient_id)
     where d.realm_id = ${caller.realm_id} and d.user_id = ${id} and cardinality(g.user_ids) > 2)`
}

type Property = (caller: Caller) => Fragment

/** Selects by id, so that only the few flagged messages are read. */
function flagged(caller: Caller, bits: number): Fragment {
  return sql`m.id in (${flaggedIds(caller, bits)})`
}

function flaggedIds({ id, realm_id }: Caller, bits: number): Fragment {
  return sql`
    select f.message_id from message_flags f
     where f.realm_id = ${realm_id} and f.user_id = ${id} and f.flags & ${sql.lit(bits)} <> 0`
}

function mentions(caller: Caller): Fragment {
  return sql`
    ${flaggedIds(caller, flagBits.mentioned | flagBits.topic_wildcard_mentioned | flagBits.stream_wildcard_mentioned)}
    union all
    select m.id from messages m
     where m.realm_id = ${caller.realm_id} and ${mentionedEveryone(caller)}`
}

const isDirect: Property = () => sql`m.channel_id is null`

const properties: Record<string, Property> = {
  dm: isDirect,
  private: isDirect,
  starred: (caller) => flagged(caller, flagBits.starred),
  // Materialized, because without statistics the planner evaluates the subquery once per message.
  unread: (caller) => sql`m.id in (with u as materialized (${unreadMessages(caller)}) select u.id from u)`,
  mentioned: (caller) => sql`m.id in (${mentions(caller)})`,
  alerted: (caller) => flagged(caller, flagBits.has_alert_word),
  followed: () => sql`v.visibility_policy = ${sql.lit(policies.followed)}`,
  muted: isMuted,
  resolved: () => sql`t.name like '✔ %'`,
}

const contents: Record<string, Property> = {
  attachment: () => sql`m.has_attachment`,
  image: () => sql`m.has_image`,
  link: () => sql`m.has_link`,
  reaction: ({ realm_id }) =>
    sql`exists (select 1 from reactions e where e.realm_id = ${realm_id} and e.message_id = m.id)`,
}

const views: Record<string, Property> = {
  home: (caller) => sql`not ${isMuted(caller)}`,
  all: everything,
}
