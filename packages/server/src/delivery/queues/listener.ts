import { roles } from '@parley/api/common'
import type { Internal, LogEvent } from '../../events/log.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import { isWide, type Queue } from './queue.ts'

/** A period in which the user was subscribed to a channel, as event numbers: (from, to]. */
interface Period {
  from: number
  to: number | null
}

/** A role that the user had before event `until` changed it. */
interface PastRole {
  until: number
  role: number
}

/** A user with a queue in this process, and the data that decides which events they receive. */
export class Listener {
  readonly userId: number
  readonly #periods: Map<number, Period[]>
  /** Oldest first. */
  readonly #pastRoles: PastRole[]
  #role: number

  constructor(userId: number, role: number, pastRoles: PastRole[], periods: Map<number, Period[]>) {
    this.userId = userId
    this.#role = role
    this.#pastRoles = pastRoles
    this.#periods = periods
  }

  /** Channels to which the user is subscribed, as of the last followed event. */
  *openChannels(): Iterable<number> {
    for (const [channel, periods] of this.#periods) if (periods.some(({ to }) => to === null)) yield channel
  }

  /** Whether the user receives an event: as a member of its audience, or only through a queue that includes more channels. */
  receives({ seq, audience }: LogEvent, queue: Queue): 'received' | 'observed' | undefined {
    if (audience.except?.includes(this.userId)) return undefined
    if (audience.users?.includes(this.userId)) return 'received'
    if (audience.channel !== undefined && this.#wasSubscribed(audience.channel, seq)) return 'received'
    const role = this.#roleAt(seq)
    if (audience.realm === 'everyone' || (audience.realm === 'members' && role !== roles.guest)) return 'received'
    if (audience.admins && role <= roles.admin) return 'received'
    if (audience.public && role !== roles.guest && isWide(queue.options)) return 'observed'
    return undefined
  }

  /** Applies changes of subscriptions and roles. Idempotent. */
  apply(seq: number, { joined, left, roles: changed, former_roles: former }: Internal): void {
    for (const { channel_id, user_ids, from_event } of joined ?? [])
      if (user_ids.includes(this.userId)) this.#open(channel_id, from_event)
    for (const { channel_id, user_ids, to_event } of left ?? [])
      if (user_ids.includes(this.userId)) this.#close(channel_id, to_event)
    this.#role = changed?.[this.userId] ?? this.#role
    const role = former?.[this.userId]
    if (role !== undefined && !this.#pastRoles.some(({ until }) => until === seq))
      this.#pastRoles.push({ until: seq, role })
  }

  #roleAt(seq: number): number {
    return this.#pastRoles.find(({ until }) => seq < until)?.role ?? this.#role
  }

  #wasSubscribed(channel: number, seq: number): boolean {
    return this.#periods.get(channel)?.some(({ from, to }) => from < seq && (to === null || seq <= to)) ?? false
  }

  #open(channel: number, from: number): void {
    const periods = this.#periods.get(channel) ?? []
    if (!periods.some((period) => period.from === from)) periods.push({ from, to: null })
    this.#periods.set(channel, periods)
  }

  #close(channel: number, to: number): void {
    const open = this.#periods.get(channel)?.find((period) => period.to === null && period.from <= to)
    if (open) open.to = to
  }
}

export interface ListenerKey {
  realmId: number
  userId: number
}

/** A user without subscriptions has one row without a period. */
type PeriodRow = ListenerKey & { role: number } & (
    | { channel_id: number; from_event: number; to_event: number | null }
    | { channel_id: null; from_event: null; to_event: null }
  )

/** Loads listeners with their subscription periods and roles, back to the oldest event in the log. */
export async function loadListeners(db: Db, keys: ListenerKey[]): Promise<Listener[]> {
  const realms = keys.map(({ realmId }) => realmId)
  const rows = await many<PeriodRow>(db)`
    select u.realm_id as "realmId", u.id as "userId", u.role, p.channel_id, p.from_event, p.to_event
      from unnest(${realms}::bigint[], ${keys.map(({ userId }) => userId)}::bigint[]) as requested(realm_id, id)
      join users u on u.realm_id = requested.realm_id and u.id = requested.id
      join realm_counters c on c.realm_id = u.realm_id
      left join subscription_periods p
        on p.realm_id = u.realm_id and p.user_id = u.id and (p.to_event is null or p.to_event > c.trimmed_event)`
  const byUser = Map.groupBy(rows, ({ userId }) => userId)
  const pastRoles = await readPastRoles(db, realms)
  return keys.map(({ userId }) => listenerOf(userId, byUser.get(userId)!, pastRoles.get(userId) ?? []))
}

function listenerOf(userId: number, rows: PeriodRow[], pastRoles: PastRole[]): Listener {
  const periods = new Map<number, Period[]>()
  for (const { channel_id, from_event: from, to_event: to } of rows) {
    if (channel_id !== null) periods.set(channel_id, [...(periods.get(channel_id) ?? []), { from, to }])
  }
  return new Listener(userId, rows[0]!.role, pastRoles, periods)
}

/** Past roles by user, oldest first. Reading all of the realm is cheap, because roles change rarely. */
async function readPastRoles(db: Db, realms: number[]): Promise<Map<number, PastRole[]>> {
  const rows = await many<PastRole & { userId: number }>(db)`
    select seq as until, former.key::bigint as "userId", former.value::integer as role
      from events, jsonb_each_text(internal -> 'former_roles') former
     where realm_id = any(${[...new Set(realms)]}::bigint[]) and internal ? 'former_roles'
     order by seq`
  return Map.groupBy(rows, ({ userId }) => userId)
}
