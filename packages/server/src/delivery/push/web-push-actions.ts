import { ECDH } from 'node:crypto'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { checkStorageLimit } from '../../people/users/storage-limits.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column, maybeOne } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { curve, type ReceiverKeys } from '../../platform/web-push/encrypt.ts'

export interface BrowserParams {
  endpoint: string
  p256dh: string
  auth: string
}

/** Throws if the values cannot come from a browser. Whether the URL may be reached is checked with every request. */
export function keysOf({ endpoint, p256dh, auth }: BrowserParams): ReceiverKeys {
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) throw new ApiError('endpoint is not an HTTP URL')
  const publicKey = Buffer.from(p256dh, 'base64url')
  const authSecret = Buffer.from(auth, 'base64url')
  if (!isPoint(publicKey)) throw new ApiError('p256dh is not a P-256 public key')
  if (authSecret.length !== 16) throw new ApiError('auth is not 16 bytes long')
  return { publicKey, authSecret }
}

/** Uncompressed, and on the curve. */
function isPoint(key: Buffer): boolean {
  if (key.length !== 65 || key[0] !== 4) return false
  try {
    ECDH.convertKey(key, curve)
    return true
  } catch {
    return false
  }
}

/**
 * Registers a browser. It belongs to the user who signed in there last, so that nobody's notifications appear in a
 * browser that now belongs to another user.
 */
export async function addBrowser(tx: Tx, caller: Caller, endpoint: string, keys: ReceiverKeys): Promise<void> {
  await sql`
    insert into web_push_subscriptions as w (realm_id, user_id, credential_id, endpoint, public_key, auth_secret)
    values (${tx.realmId}, ${caller.id}, ${caller.credential?.id ?? null}, ${endpoint}, ${keys.publicKey}, ${keys.authSecret})
    on conflict (realm_id, endpoint) do update
       set user_id = excluded.user_id, credential_id = excluded.credential_id,
           public_key = excluded.public_key, auth_secret = excluded.auth_secret`.execute(tx.db)
  await sql`
    insert into web_push_cursors (realm_id, last_message)
    select realm_id, last_message from realm_counters where realm_id = ${tx.realmId}
    on conflict do nothing`.execute(tx.db)
  await checkStorageLimit(tx, caller.id, 'web_push_subscriptions')
}

export async function removeBrowser(tx: Tx, caller: Caller, endpoint: string): Promise<void> {
  const id = await accessBrowser(tx.db, caller, endpoint)
  await tx.db.deleteFrom('web_push_subscriptions').where('realm_id', '=', tx.realmId).where('id', '=', id).execute()
}

export const testMessage = 0

export async function enqueueTest(tx: Tx, caller: Caller, endpoint: string): Promise<void> {
  const id = await accessBrowser(tx.db, caller, endpoint)
  await sql`
    insert into web_push_deliveries (subscription_id, realm_id, message_id)
    values (${id}, ${tx.realmId}, ${testMessage})
    on conflict (realm_id, subscription_id, message_id) do update set attempts = 0, due_at = now()`.execute(tx.db)
}

/** Browsers of other users fail like browsers that do not exist. */
async function accessBrowser(db: Db, caller: Caller, endpoint: string): Promise<number> {
  const row = await maybeOne<{ id: number }>(db)`
    select id from web_push_subscriptions
     where realm_id = ${caller.realm_id} and user_id = ${caller.id} and endpoint = ${endpoint}`
  if (!row) throw new ApiError('This browser is not registered.')
  return row.id
}

export function endpointsOf(db: Db, { realm_id, id }: Caller): Promise<string[]> {
  return column<string>(db)`
    select endpoint from web_push_subscriptions where realm_id = ${realm_id} and user_id = ${id} order by id`
}
