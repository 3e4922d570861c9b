import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { Caller } from '../users/caller.ts'
import { checkStorageLimit } from '../users/storage-limits.ts'

export type Kind = 'apns' | 'fcm'

const longest = 4096

/** Throws unless the token can be one of its kind. */
export function checkToken(kind: Kind, token: string): void {
  if (token === '' || token.length > longest) throw new ApiError('Empty or invalid length token')
  if (kind === 'apns' && !isBase64(token)) throw new ApiError('Invalid APNS token')
}

/** Devices write their token in digits and letters; whatever else there is does not count. */
function isBase64(token: string): boolean {
  const digits = token.replace(/[^A-Za-z0-9+/=]/g, '')
  return digits.length % 4 === 0 && /^[^=]*={0,2}$/.test(digits)
}

export function checkAppId(appId: string): void {
  if (!/^[.a-zA-Z0-9-]+$/.test(appId)) throw new ApiError('appid has invalid characters')
}

/** Remembers a device; saying it again changes nothing. */
export async function addToken(tx: Tx, caller: Caller, kind: Kind, token: string, appId?: string): Promise<void> {
  await sql`
    insert into push_tokens (realm_id, user_id, kind, token, app_id)
    values (${tx.realmId}, ${caller.id}, ${kind}, ${token}, ${appId ?? null}) on conflict do nothing`.execute(tx.db)
  await checkStorageLimit(tx, caller.id, 'push_tokens')
}

/** Forgets a device of the caller's. Those of others are as unknown as any. */
export async function removeToken(tx: Tx, caller: Caller, kind: Kind, token: string): Promise<void> {
  const { rows } = await sql`
    delete from push_tokens
     where realm_id = ${tx.realmId} and user_id = ${caller.id} and kind = ${kind} and token = ${token}
    returning 1`.execute(tx.db)
  if (rows.length === 0) throw new ApiError('Token does not exist')
}
