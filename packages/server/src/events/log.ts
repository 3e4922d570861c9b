import { sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'

/** Who hears an event: everybody whom one of the rules names, unless excepted. */
export interface Audience {
  users?: number[]
  /** Whoever is subscribed to this channel when the event happens. */
  channel?: number
  /** The whole realm, or all of it but its guests. */
  realm?: 'everyone' | 'members'
  /** Administrators and owners. */
  admins?: true
  /** Also queues that asked for all public channels. */
  public?: true
  except?: number[]
}

/** What the processes that follow the log must know besides the event itself. */
export interface Internal {
  /** Something that decides about access has changed: what was remembered about the realm is stale. */
  access?: true
  joined?: { channel_id: number; user_ids: number[]; from_event: number }[]
  left?: { channel_id: number; user_ids: number[]; to_event: number }[]
  /** New roles by user id. */
  roles?: Record<string, number>
  /** The roles that these replace. */
  former_roles?: Record<string, number>
  /** Queues that are gone. */
  ended_queues?: string[]
}

/** What differs from listener to listener. */
export interface Personal {
  /** By user id, of those who have any. */
  flags?: Record<string, string[]>
  /** Flags of everybody. */
  everyone?: string[]
  /** By user id, of those for whom what holds for everybody does not. */
  instead?: Record<string, string[]>
  /** To whom the event does not say whose it is, and what it says instead. */
  hidden?: { from: number[]; instead: object }
  /** The queue whose client sent it, and what that client called it. */
  echo?: { queue_id: string; local_id: string }
}

export interface LogEvent {
  seq: number
  type: string
  /** The event as JSON text, without its id. */
  payload: string
  audience: Audience
  personal: Personal | null
  internal: Internal | null
  /** The forms clients have asked for so far, made once; only in memory. */
  forms?: Map<number, string>
}

export interface EmittedEvent {
  type: string
  payload: string
  audience: Audience
  internal: Internal | null
  personal: Personal | null
}

/**
 * Appends events, numbering them from the realm's counter. The counter stays locked until commit, so numbers follow
 * the order of commits: a reader who has seen number n has seen everything before it.
 */
export async function appendEvents(db: Db, realmId: number, emitted: EmittedEvent[]): Promise<LogEvent[]> {
  const changesAccess = emitted.some(({ internal }) => internal?.access)
  const { rows } = await sql<{ seq: number }>`
    with counter as (
      update realm_counters
         set last_event = last_event + ${emitted.length}, access_version = access_version + ${changesAccess ? 1 : 0}
       where realm_id = ${realmId}
      returning last_event - ${emitted.length} as before
    )
    insert into events (realm_id, seq, type, payload, audience, internal, personal)
    select ${realmId}, counter.before + e.place, e.type, e.payload, e.audience, e.internal, e.personal
      from counter, unnest(${emitted.map(({ type }) => type)}::text[], ${emitted.map(({ payload }) => payload)}::text[],
                           ${emitted.map(({ audience }) => JSON.stringify(audience))}::jsonb[],
                           ${emitted.map(({ internal }) => internal && JSON.stringify(internal))}::jsonb[],
                           ${emitted.map(({ personal }) => personal && JSON.stringify(personal))}::jsonb[])
           with ordinality as e(type, payload, audience, internal, personal, place)
    returning seq`.execute(db)
  const first = Math.min(...rows.map(({ seq }) => seq))
  return emitted.map((event, index) => ({ ...event, seq: first + index }))
}

export async function readEvents(db: Db, realmId: number, after: number, limit: number): Promise<LogEvent[]> {
  const rows = await db
    .selectFrom('events')
    .select(['seq', 'type', 'payload', 'audience', 'personal', 'internal'])
    .where('realm_id', '=', realmId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()
  return rows as unknown as LogEvent[]
}
