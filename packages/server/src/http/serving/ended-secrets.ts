import { lookup } from '@parley/api/lookup'
import { sql } from 'kysely'
import { isAlive } from '../../identity/sessions/stored-credentials.ts'
import type { Fragment } from '../../platform/db/fragment.ts'
import type { Db } from '../../platform/db/pool.ts'
import { exists } from '../../platform/db/query.ts'
import { hashKey } from '../../platform/secrets.ts'

/** The rows of valid credentials, by the field in which responses contain them. */
const valid: Record<string, (realmId: number, hash: Buffer) => Fragment> = {
  token: (realmId, hash) =>
    sql`select 1 from credentials where realm_id = ${realmId} and secret_hash = ${hash} and ${isAlive}` as Fragment,
  api_key: (realmId, hash) =>
    sql`select 1 from users where realm_id = ${realmId} and api_key_hash = ${hash} and is_active` as Fragment,
  invite_link: validInvitation,
  link_url: validInvitation,
  reset_url: (realmId, hash) =>
    sql`select 1 from password_resets where realm_id = ${realmId} and token_hash = ${hash} and expires_at > now()` as Fragment,
}

function validInvitation(realmId: number, hash: Buffer): Fragment {
  return sql`
    select 1 from invitations where realm_id = ${realmId} and token_hash = ${hash} and ended_at is null
       and coalesce(expires_at > now(), true)` as Fragment
}

/** The fields whose values are credentials, for the test that compares them with the contract. */
export const secretFields = Object.keys(valid)

/** The URL of an incoming hook. */
const hookUrl = /\/in\/[\w-]{43}$/

function validHook(realmId: number, hash: Buffer): Fragment {
  return sql`select 1 from hooks where realm_id = ${realmId} and token_hash = ${hash}` as Fragment
}

/** Whether a response contains a credential that is no longer valid. */
export async function hasEndedSecret(db: Db, realmId: number, body: object): Promise<boolean> {
  for (const [field, value] of fieldsOf(body)) {
    const rows = hookUrl.test(value) ? validHook : lookup(valid, field)
    // Links end with the token. Tokens of webhooks have another form.
    const secret = value.slice(value.lastIndexOf('/') + 1)
    if (rows && isCredential(field, value) && !(await exists(db)`${rows(realmId, hashKey(secret))}`)) return true
  }
  return false
}

function isCredential(field: string, value: string): boolean {
  return field === 'token' ? value.startsWith('parley_') : value !== ''
}

/** All texts of a response with their names, also those in lists. */
function* fieldsOf(body: object): Generator<[string, string]> {
  for (const [name, value] of Object.entries(body))
    if (typeof value === 'string') yield [name, value]
    else if (typeof value === 'object' && value !== null) yield* fieldsOf(value)
}
