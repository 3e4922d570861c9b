import type { NarrowTerm } from '@parley/api/conversations/messages'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { type Channel, canSeeChannel, findChannel, findVisibleChannel } from '../../channels/access.ts'
import { personalJoins } from '../model/read-state.ts'
import { conditionOf, type Narrowing } from './narrow-operators.ts'
import { inScope, scopeOf } from './narrow-scope.ts'
import {
  BadNarrow,
  isDirectTerm,
  isFlagTerm,
  isOfChannel,
  isTerm,
  isVague,
  type Operand,
  readTerms,
  refuseContradiction,
  resolveWith,
  type Term,
} from './narrow-terms.ts'
import { refuseManyUsers } from './narrow-users.ts'
import { readSearch, type Search } from './search.ts'

/** A selection of messages, as a query over `m`. */
export interface Narrow {
  /** Undefined if nothing can match. */
  where: Fragment | undefined
  /** `where` without the search condition. */
  place: Fragment | undefined
  from: Fragment
  /** The joins in `from`. */
  joins: Fragment
  /** The conversations to search, if no term of the narrow is selective. */
  recipients: number[] | undefined
  /** Whether only direct messages match. */
  isDirect: boolean
  /** Whether these are all messages of a channel or of a topic in it, so that an index returns them in their order. */
  isChannelOrTopic: boolean
  /** Whether these are all messages that the caller received. */
  isEverything: boolean
  /** Whether only the few messages match that have a flag of the caller. */
  isFlagged: boolean
  search: Search | undefined
}

export async function readNarrow(db: Db, caller: Caller, narrow: NarrowTerm[]): Promise<Narrow> {
  const given = readTerms(narrow)
  refuseManyUsers(given)
  const terms = await resolveWith(db, caller, given)
  refuseContradiction(terms)
  const search = await searchOf(db, caller, terms)
  const channels = await namedChannels(db, caller, terms)
  const conditions = await conditionsOf({ db, caller, channels: channels.all }, terms)
  const scope = await scopeOf(db, caller, terms, channels.included)
  const place =
    scope && sql.join([sql`m.realm_id = ${caller.realm_id}`, inScope(scope, caller), ...conditions], sql` and `)
  const joins = sql`left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id ${personalJoins(caller)}`
  return {
    where: place && search ? sql`${place} and ${search.check}` : place,
    place,
    from: sql`messages m ${joins}`,
    joins,
    recipients: terms.every(isVague) ? scope?.recipients : undefined,
    isDirect: terms.some(isDirectTerm),
    isChannelOrTopic: channels.included.length === 1 && terms.every(isOfChannel),
    isEverything: terms.every(({ operator }) => operator === 'near'),
    isFlagged: terms.some(isFlagTerm),
    search,
  }
}

async function conditionsOf(narrowing: Narrowing, terms: Term[]): Promise<Fragment[]> {
  const conditions = []
  for (const term of terms) {
    if (term.operator !== 'search') conditions.push(await conditionOf(narrowing, term))
  }
  return conditions
}

/** The channels of all terms by operand, and those of the terms that are not negated. */
async function namedChannels(db: Db, caller: Caller, terms: Term[]) {
  const all = new Map<Operand, Channel>()
  const included: Channel[] = []
  for (const term of terms) {
    if (term.operator !== 'channel') continue
    const channel = await channelOf(db, caller, term.operand)
    all.set(term.operand, channel)
    if (isTerm(term, 'channel')) included.push(channel)
  }
  return { all, included }
}

/** A channel name may be a number. A string operand is tried as a name first, then as an id. */
async function channelOf(db: Db, caller: Caller, operand: Operand): Promise<Channel> {
  const byName = typeof operand === 'string' ? await findVisibleChannel(db, caller, operand) : undefined
  const id = !Array.isArray(operand) && /^\d{1,15}$/.test(String(operand)) ? Number(operand) : undefined
  const channel = byName ?? (id === undefined ? undefined : await findChannel(db, caller, id))
  // A hidden channel fails exactly like one that does not exist.
  if (!channel || !(await canSeeChannel(db, caller, channel)))
    throw new BadNarrow(`unknown channel ${JSON.stringify(operand)}`)
  return channel
}

async function searchOf(db: Db, caller: Caller, terms: Term[]): Promise<Search | undefined> {
  const operands = terms.filter(({ operator }) => operator === 'search').map(({ operand }) => operand)
  if (operands.length === 0) return undefined
  if (operands.some((operand) => typeof operand !== 'string' || operand.trim() === ''))
    throw new BadNarrow('Nothing to search for')
  return readSearch(db, caller, operands.join(' '))
}
