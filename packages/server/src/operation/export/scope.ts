import { exportTypes } from '@parley/api/operation/export'
import { type RawBuilder, sql } from 'kysely'
import { wasReceived } from '../../conversations/messages/model/received.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column } from '../../platform/db/query.ts'
import { consents } from './queries.ts'

/** A full export is for the operator only, so the API does not know it. */
export const exportKinds = { ...exportTypes, full: 3 } as const
export type ExportKind = keyof typeof exportKinds

/** For a request about some people: what to leave out of a full export. */
export interface Limit {
  users: number[] | null
  since: Date | null
}

/** What an export may contain. */
export interface Scope {
  realmId: number
  /** Whether it contains everything, also of users who did not consent. */
  isFull: boolean
  /** Only what these users sent or received, since then; null: everything. */
  limit: Limit | null
  /** Users whose private data it may contain; empty in a public export. */
  consenting: number[]
  /** Public channels, and private channels to which a consenting user is subscribed. */
  channels: number[]
}

export async function readScope(db: Db, realmId: number, type: number, limit: Limit | null = null): Promise<Scope> {
  const isFull = type === exportKinds.full
  const ids = await column<number>(db)`
    select u.id from users u where u.realm_id = ${realmId} and (${isFull} or u.bot_type is null and ${consents})`
  const consenting = limit?.users ?? (type === exportKinds.public ? [] : ids)
  const foundIds = await column<number>(db)`
    select c.id from channels c
     where c.realm_id = ${realmId}
       and (${isFull} or not c.invite_only or exists (
         select 1 from subscriptions s where s.realm_id = c.realm_id and s.channel_id = c.id and s.is_active
            and s.user_id = any(${consenting}::bigint[])))`
  return { realmId, isFull, limit, consenting, channels: foundIds }
}

/** Whether message `m` (in channel `c`, if any) is exported: it is public, or a consenting user can read it. */
export function belongs({ isFull, limit, consenting, channels }: Scope): RawBuilder<boolean> {
  if (limit)
    return sql`(${isOf(limit.users)} and (${limit.since}::timestamptz is null or m.date_sent >= ${limit.since}))`
  if (isFull) return sql`true`
  return sql`(case
    when m.channel_id is null then exists (
      select 1 from direct_participants d
       where d.realm_id = m.realm_id and d.recipient_id = m.recipient_id and d.user_id = any(${consenting}::bigint[]))
    when c.history_public_to_subscribers then m.channel_id = any(${channels}::bigint[])
    else exists (
      select 1 from subscriptions s
       where s.realm_id = m.realm_id and s.channel_id = m.channel_id and s.is_active
         and s.user_id = any(${consenting}::bigint[])
         and ${wasReceived({ realm: sql`s.realm_id`, user: sql`s.user_id`, channel: sql`s.channel_id` })})
    end)`
}

/** Whether one of the users sent or received message `m`. */
function isOf(users: number[] | null): RawBuilder<boolean> {
  if (users === null) return sql`true`
  return sql`(m.sender_id = any(${users}::bigint[]) or exists (
    select 1 from direct_participants d
     where m.channel_id is null and d.realm_id = m.realm_id and d.recipient_id = m.recipient_id
       and d.user_id = any(${users}::bigint[]))
    or m.channel_id is not null and exists (
      select 1 from unnest(${users}::bigint[]) one(id)
       where ${wasReceived({ realm: sql`m.realm_id`, user: sql`one.id`, channel: sql`m.channel_id` })}))`
}
