import type { HookObject, HookRequestObject } from '@parley/api/delivery/hooks'
import { isAdmin } from '@parley/api/permissions'
import { roles } from '@parley/api/roles'
import type { HookOptions } from '@parley/integrations/handle'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many, maybeOne } from '../../platform/db/query.ts'

/** A hook as a request meets it. */
export interface HookRow {
  id: number
  realm_id: number
  bot_id: number
  integration: string
  name: string
  token_sealed: Buffer | null
  channel_id: number | null
  topic: string | null
  options: HookOptions
  secret_sealed: Buffer | null
  is_enabled: boolean
  problem_reported: boolean
}

const columns = sql`id, realm_id, bot_id, integration, name, token_sealed, channel_id, topic, options, secret_sealed,
  is_enabled, problem_reported`

export function findHook(db: Db, realmId: number, id: number): Promise<HookRow | undefined> {
  return maybeOne<HookRow>(db)`select ${columns} from hooks where realm_id = ${realmId} and id = ${id}`
}

export function findHookByToken(db: Db, realmId: number, tokenHash: Buffer): Promise<HookRow | undefined> {
  return maybeOne<HookRow>(db)`select ${columns} from hooks where realm_id = ${realmId} and token_hash = ${tokenHash}`
}

/** The hook of a bot for requests with its API key. */
export function findHookOfBot(db: Db, bot: Caller, integration: string): Promise<HookRow | undefined> {
  return maybeOne<HookRow>(db)`
    select ${columns} from hooks
     where realm_id = ${bot.realm_id} and bot_id = ${bot.id} and integration = ${integration} and token_hash is null`
}

export type ListedHook = Omit<HookObject, 'url'> & { token_sealed: Buffer | null }

/** The hooks of bots that the caller manages: `accessHook` decides the same. */
export function readHooks(db: Db, caller: Caller): Promise<ListedHook[]> {
  return many<ListedHook>(db)`
    select h.id, h.bot_id, h.integration, h.name, h.token_sealed, h.channel_id, h.topic, h.options,
           h.secret_sealed is not null as has_secret, h.is_enabled, h.received,
           floor(extract(epoch from h.created_at))::bigint as created_at,
           floor(extract(epoch from h.last_at))::bigint as last_at
      from hooks h join users u on u.realm_id = h.realm_id and u.id = h.bot_id
     where h.realm_id = ${caller.realm_id} and (u.bot_owner_id = ${caller.id} or ${isAdmin(caller)})
       and (${caller.role === roles.owner} or u.role <> ${roles.owner} and not u.can_create_users)
     order by h.id desc`
}

export interface RequestRow extends Omit<HookRequestObject, 'body' | 'headers'> {
  headers: Record<string, string>
  body: Buffer
}

const requestColumns = sql`id, floor(extract(epoch from received_at))::bigint as received_at, outcome, event, message_id,
  error, headers, body, length(body) = body_size as is_complete`

export function readRequests(
  db: Db,
  { realm_id, id }: HookRow,
  { before, limit }: { before?: number; limit: number },
): Promise<RequestRow[]> {
  return many<RequestRow>(db)`
    select ${requestColumns} from hook_requests
     where realm_id = ${realm_id} and hook_id = ${id} and id < ${before ?? Number.MAX_SAFE_INTEGER}
     order by id desc limit ${limit}`
}

export function findRequest(db: Db, { realm_id, id }: HookRow, requestId: number): Promise<RequestRow | undefined> {
  return maybeOne<RequestRow>(db)`
    select ${requestColumns} from hook_requests
     where realm_id = ${realm_id} and hook_id = ${id} and id = ${requestId}`
}
