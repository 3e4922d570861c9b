import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { checkStorageLimit } from '../../people/users/storage-limits.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'

export type Kind = 'apns' | 'fcm'

const maxTokenLength = 4096

/** Throws if the token is malformed for its kind. */
export function checkToken(kind: Kind, token: string): void {
  if (token === '' || token.length > maxTokenLength) throw new ApiError('Empty or invalid length token')
  if (kind === 'apns' && !isBase64(token)) throw new ApiError('Invalid APNS token')
}

/** Ignores characters outside the base64 alphabet, such as separators. */
function isBase64(token: string): boolean {
  const digits = token.replace(/[^A-Za-z0-9+/=]/g, '')
  return digits.length % 4 === 0 && /^[^=]*={0,2}$/.test(digits)
}

export function checkAppId(appId: string): void {
  if (!/^[.a-zA-Z0-9-]+$/.test(appId)) throw new ApiError('appid has invalid characters')
}

/** Registers a device. Registering it again changes nothing. */
export async function addToken(tx: Tx, caller: Caller, kind: Kind, token: string, appId?: string): Promise<void> {
  await tx.db
    .insertInto('push_tokens')
    .values({ realm_id: tx.realmId, user_id: caller.id, kind, token, app_id: appId ?? null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await checkStorageLimit(tx, caller.id, 'push_tokens')
}

/** Removes one of the caller's devices. Devices of other users fail like devices that do not exist. */
export async function removeToken(tx: Tx, caller: Caller, kind: Kind, token: string): Promise<void> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('push_tokens')
    .where(matches({ realm_id: tx.realmId, user_id: caller.id, kind, token }))
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw new ApiError('Token does not exist')
}

/** Devices can be registered for the day the server can send to them. Until then a test must not look successful. */
export async function sendTestNotification(db: Db, caller: Caller, token: string | undefined): Promise<never> {
  if (token !== undefined) await checkIsKnown(db, caller, token)
  throw new ApiError('This server does not send push notifications.')
}

async function checkIsKnown(db: Db, { realm_id, id }: Caller, token: string): Promise<void> {
  const known = matches({ realm_id, user_id: id, token })
  const found = await db.selectFrom('push_tokens').select('user_id').where(known).executeTakeFirst()
  if (!found) throw new ApiError('Device not recognized', 'INVALID_PUSH_DEVICE_TOKEN')
}
