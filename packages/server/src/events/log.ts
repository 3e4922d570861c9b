import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'
import { many } from '../platform/db/query.ts'
import type { Json } from './event-json.ts'

/** The users who receive an event: everyone matched by at least one field, minus `except`. */
export interface Audience {
  users?: number[]
  /** The users subscribed to this channel when the event happens. */
  channel?: number
  /** All users of the realm, or all except guests. */
  realm?: 'everyone' | 'members'
  /** Administrators and owners. */
  admins?: true
  /** Also queues registered for all public channels. */
  public?: true
  except?: number[]
}

/** Data for the processes that follow the log; clients do not receive it. */
export interface Internal {
  /** A change that affects access: invalidates what is cached about the realm. */
  access?: true
  joined?: { channel_id: number; user_ids: number[]; from_event: number }[]
  left?: { channel_id: number; user_ids: number[]; to_event: number }[]
  /** New roles by user id. */
  roles?: Record<string, number>
  /** The previous roles of the same users. */
  former_roles?: Record<string, number>
  /** Ids of deleted queues. */
  ended_queues?: string[]
}

/** The parts of an event that differ between recipients. */
export interface Personal {
  /** Additional flags by user id. */
  flags?: Record<string, string[]>
  /** Flags for all recipients. */
  everyone?: string[]
  /** By user id: flags that replace `flags` and `everyone`. */
  instead?: Record<string, string[]>
  /** The users who must not learn who the sender is, and the fields that they receive instead. */
  hidden?: { from: number[]; instead: object }
  /** The queue of the client that sent the message, and the client's local id for it. */
  echo?: { queue_id: string; local_id: string }
}

export interface LogEvent {
  seq: number
  type: string
  /** The event without its id. Only the message of a `message` event. */
  payload: Json<object>
  audience: Audience
  personal: Personal | null
  internal: Internal | null
  /** Serialized variants for different client options, cached in memory. */
  forms?: Map<number, Json<object>>
}

export interface EmittedEvent {
  type: string
  payload: Json<object>
  audience: Audience
  internal: Internal | null
  personal: Personal | null
}

/**
 * Appends events, numbering them from the realm's counter. The counter stays locked until commit, so numbers follow
 * the order of commits: a reader who has seen event n has seen all events before it. With `isFlushedLater`, the commit
 * does not wait for the disk, because all others of the realm would wait with it: see `flushed`.
 */
export async function appendEvents(
  execute: (statement: RawBuilder<{ seq: number }>) => Promise<{ seq: number }[]>,
  realmId: number,
  emitted: EmittedEvent[],
  isFlushedLater: boolean,
): Promise<LogEvent[]> {
  const rows = await execute(appending(realmId, emitted, isFlushedLater))
  const first = Math.min(...rows.map(({ seq }) => seq))
  return emitted.map((event, index) => ({ ...event, seq: first + index }))
}

const smallActs = new Set([
  ...['update_message', 'delete_message', 'update_message_flags', 'reaction', 'submessage', 'attachment', 'user_topic'],
  ...['muted_topics', 'typing', 'typing_edit_message', 'presence', 'user_status', 'drafts', 'saved_snippets'],
])

/**
 * Whether others may see what the event is about before it survives a crash. Not if processes cache something until the
 * next such event: a crash would undo it, and its version would be used again for something else.
 */
export function mayBeFlushedLater({ type, internal }: EmittedEvent): boolean {
  return smallActs.has(type) && internal === null
}

function appending(realmId: number, emitted: EmittedEvent[], isFlushedLater: boolean): RawBuilder<{ seq: number }> {
  const commit = isFlushedLater ? sql`, set_config('synchronous_commit', 'off', true)` : sql``
  const changesAccess = emitted.some(({ internal }) => internal?.access)
  return sql`
    with counter as (
      update realm_counters
         set last_event = last_event + ${emitted.length}, access_version = access_version + ${changesAccess ? 1 : 0}
       where realm_id = ${realmId}
      returning last_event - ${emitted.length} as before ${commit}
    )
    insert into events (realm_id, seq, type, payload, audience, internal, personal)
    select ${realmId}, counter.before + e.place, e.type, e.payload, e.audience, e.internal, e.personal
      from counter, unnest(${emitted.map(({ type }) => type)}::text[], ${emitted.map(({ payload }) => payload)}::text[],
                           ${emitted.map(({ audience }) => JSON.stringify(audience))}::jsonb[],
                           ${emitted.map(({ internal }) => internal && JSON.stringify(internal))}::jsonb[],
                           ${emitted.map(({ personal }) => personal && JSON.stringify(personal))}::jsonb[])
           with ordinality as e(type, payload, audience, internal, personal, place)
    returning seq`
}

/** A stretch of a realm's log, and what the log was like when it was read. */
export interface LogPage {
  epoch: number
  last_event: number
  /** The last event that was deleted because all queues had acknowledged it. */
  trimmed_event: number
  events: LogEvent[]
}

type End = Omit<LogPage, 'events'>
/** The end of the log, with an event or, if there is none, without. */
type PageRow = End & { [Key in keyof LogEvent]: LogEvent[Key] | null }

/** The events after a number, at most `limit`. They have no gaps, except where an epoch begins and after `trimmed_event`. */
export async function readPage(db: Db, realmId: number, after: number, limit: number): Promise<LogPage> {
  const rows = await many<PageRow>(db)`
    select c.epoch, c.last_event, c.trimmed_event, e.*
      from realm_counters c
      left join lateral (select seq, type, payload, audience, personal, internal from events
                          where realm_id = c.realm_id and seq > ${after} order by seq limit ${limit}) e on true
     where c.realm_id = ${realmId}
     order by e.seq`
  const { epoch = 0, last_event = 0, trimmed_event = 0 } = rows[0] ?? {}
  return { epoch, last_event, trimmed_event, events: rows.filter(hasEvent).map(eventOf) }
}

function hasEvent(row: PageRow): row is End & LogEvent {
  return row.seq !== null
}

function eventOf({ seq, type, payload, audience, personal, internal }: LogEvent): LogEvent {
  return { seq, type, payload, audience, personal, internal }
}
