import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { hashKey } from '../../platform/secrets.ts'
import { ScimError } from './scim-error.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The token of an identity provider. */
    scimToken: ScimToken | undefined
  }
}

export interface ScimToken {
  id: number
  realmId: number
}

/** Longer than the tokens of users, so that neither is accepted in place of the other. */
const pattern = /^parley_scim_[A-Za-z0-9_-]{43}$/
const maxTokens = 10

export async function createScimToken(tx: Tx, name: string): Promise<{ id: number; token: string }> {
  const existing = await listScimTokens(tx.db, tx.realmId)
  if (existing.length >= maxTokens) throw new ApiError(`There can be at most ${maxTokens} tokens. Revoke one first.`)
  const token = `parley_scim_${randomBytes(32).toString('base64url')}`
  const { id } = await tx.db
    .insertInto('scim_tokens')
    .values({ realm_id: tx.realmId, name, secret_hash: hashKey(token) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx.audit(null, 'scim_token_created', { scim_token_id: id, name })
  return { id, token }
}

export function listScimTokens(db: Db, realmId: number) {
  const own = db.selectFrom('scim_tokens').where('realm_id', '=', realmId)
  return own.select(['id', 'name', 'created_at', 'used_at']).orderBy('id').execute()
}

export async function revokeScimToken(tx: Tx, id: number): Promise<void> {
  const revoked = tx.db
    .deleteFrom('scim_tokens')
    .where(matches({ realm_id: tx.realmId, id }))
    .returning('name')
  const token = await revoked.executeTakeFirst()
  if (!token) throw new ApiError('There is no such token.')
  await tx.audit(null, 'scim_token_revoked', { scim_token_id: id, name: token.name })
}

/** The token in an Authorization header. It works in its own realm only. */
export async function accessScimToken(db: Db, realmId: number, header: string | undefined): Promise<ScimToken> {
  const [, token = ''] = /^\s*bearer\s+(\S+)\s*$/i.exec(header ?? '') ?? []
  const found = pattern.test(token) ? await findToken(db, realmId, token) : undefined
  if (!found) throw new InvalidToken()
  return { id: found.id, realmId }
}

function findToken(db: Db, realmId: number, token: string) {
  const own = matches({ realm_id: realmId, secret_hash: hashKey(token) })
  return db.selectFrom('scim_tokens').select('id').where(own).executeTakeFirst()
}

class InvalidToken extends ScimError {
  constructor() {
    const headers = { 'WWW-Authenticate': 'Bearer realm="parley"' }
    super('This request needs a SCIM token of this organization.', undefined, { status: 401, headers })
  }
}

/** Records the use, at most once an hour: operators want to know which tokens are still in use. */
export async function touchScimToken(tx: Tx['db'], { realmId, id }: ScimToken): Promise<void> {
  await sql`update scim_tokens set used_at = now() where realm_id = ${realmId} and id = ${id}
              and (used_at is null or used_at < now() - interval '1 hour')`.execute(tx)
}
