import { lookup } from '@parley/api/lookup'
import { isGuest } from '@parley/api/permissions'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import { type Fragment, oneOf } from '../../../platform/db/fragment.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column } from '../../../platform/db/query.ts'
import { type Channel, canReadContent } from '../../channels/access.ts'
import { isOpenTo } from '../model/access.ts'
import { flagBits } from '../model/flag-bits.ts'
import { received } from '../model/read-state.ts'
import { channelKinds } from './narrow-operators.ts'
import { isDirectTerm, isTerm, type Term } from './narrow-terms.ts'

/** The conversations to search, and whether only messages that the caller received match. */
export interface Scope {
  recipients: number[]
  onlyReceived: boolean
}

/**
 * The messages that a narrow searches: the whole shared history if it names a channel, otherwise the messages that the
 * caller received. Undefined if the caller can read none of them.
 */
export async function scopeOf(db: Db, caller: Caller, terms: Term[], named: Channel[]): Promise<Scope | undefined> {
  const history = !terms.some(({ operator, operand }) => operator === 'is' && operand !== 'resolved')
  if (named.length > 1) return undefined
  if (named[0]) return channelScope(db, caller, named[0], history)
  const kinds = terms
    .filter((term) => isTerm(term, 'channels'))
    .map(({ operand }) => lookup(channelKinds, String(operand)))
  if (kinds[0] && history && !isGuest(caller)) return kindScope(db, caller, kinds[0])
  if (terms.some(isDirectTerm)) return { recipients: await directRecipients(db, caller), onlyReceived: false }
  return { recipients: await ownRecipients(db, caller), onlyReceived: true }
}

export function inScope({ recipients, onlyReceived }: Scope, caller: Caller): Fragment {
  const within = oneOf(sql`m.recipient_id`, recipients)
  return onlyReceived ? sql`${within} and ${received(caller)}` : within
}

async function channelScope(db: Db, caller: Caller, channel: Channel, history: boolean): Promise<Scope | undefined> {
  if (!(await canReadContent(db, caller, channel))) return undefined
  return { recipients: [channel.recipient_id], onlyReceived: !(channel.history_public_to_subscribers && history) }
}

async function kindScope(db: Db, { realm_id }: Caller, kind: Fragment): Promise<Scope> {
  const recipientIds = await column<number>(db)`
    select c.recipient_id from channels c where c.realm_id = ${realm_id} and ${kind}`
  return { recipients: recipientIds, onlyReceived: false }
}

async function directRecipients(db: Db, { id, realm_id }: Caller): Promise<number[]> {
  return column<number>(db)`
    select recipient_id from direct_participants where realm_id = ${realm_id} and user_id = ${id}`
}

/** Every conversation in which the caller received a message and which they may still read. */
async function ownRecipients(db: Db, caller: Caller): Promise<number[]> {
  const { id, realm_id, bot_type } = caller
  // Users who were not subscribed receive only history that they starred and, if they are bots, mentions.
  const singly = bot_type === null ? sql`f.flags & ${sql.lit(flagBits.historical)} <> 0` : sql`true`
  const recipientIds = await column<number>(db)`
    select c.recipient_id from channels c
     where c.realm_id = ${realm_id} and ${isOpenTo(caller)} and c.id in (
       select channel_id from subscription_periods where realm_id = ${realm_id} and user_id = ${id}
       union
       select m.channel_id from message_flags f join messages m on m.realm_id = f.realm_id and m.id = f.message_id
        where f.realm_id = ${realm_id} and f.user_id = ${id} and ${singly})`
  return [...(await directRecipients(db, caller)), ...recipientIds]
}
