import type { AgentLimits } from '@parley/api/identity/tokens'
import { storageLimits } from '@parley/api/limits'
import type { Scope } from '@parley/api/scopes'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Credential } from '../../callers/credential.ts'
import { type Context, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { columnOf, many } from '../../platform/db/query.ts'
import { hasSecondFactor } from '../second-factors/queries.ts'

export interface NewCredential {
  userId: number
  kind: Credential['kind']
  secretHash: Buffer
  name?: string
  scopes?: Scope[] | null
  agent?: AgentLimits | undefined
  userAgent: string
  ipAddress: string
  idleSeconds: number | null
  expiresAt: Date | null
  /** The session at an identity provider from which this one came. */
  signOn?: object | undefined
}

const maxUserAgentLength = 300

export async function addCredential(tx: Tx, added: NewCredential): Promise<number> {
  const { id } = await tx.db
    .insertInto('credentials')
    .values({
      realm_id: tx.realmId,
      user_id: added.userId,
      kind: added.kind,
      secret_hash: added.secretHash,
      name: added.name ?? '',
      scopes: added.scopes ?? null,
      agent: added.agent ? JSON.stringify(added.agent) : null,
      user_agent: added.userAgent.slice(0, maxUserAgentLength),
      ip_address: added.ipAddress,
      idle_seconds: added.idleSeconds,
      expires_at: added.expiresAt,
      sign_on: added.signOn ? JSON.stringify(added.signOn) : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (added.kind === 'session') await endExcessSessions(tx, added.userId, id)
  return id
}

/** Ends the sessions that were not used for longest, so that their number is limited. */
async function endExcessSessions(tx: Tx, user_id: number, newId: number): Promise<void> {
  const others = tx.db
    .selectFrom('credentials')
    .select('id')
    .where(matches({ realm_id: tx.realmId, user_id, kind: 'session' }))
    .where('id', '!=', newId)
  const byUse = others.orderBy('used_at', 'desc').orderBy('id', 'desc')
  await endCredentials(tx, await columnOf(byUse.offset(storageLimits.sessions - 1)))
}

/** The sessions or tokens of these users, without the expired ones, most recently used first. */
export function listCredentials(db: Db, realmId: number, userIds: number[], kind: Credential['kind']) {
  return db
    .selectFrom('credentials')
    .select([
      'id',
      'user_id',
      'name',
      'scopes',
      'agent',
      'user_agent',
      'ip_address',
      'created_at',
      'used_at',
      'idle_seconds',
    ])
    .select('expires_at')
    .where(matches({ realm_id: realmId, user_id: userIds, kind }))
    .where(isAlive)
    .orderBy('used_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Inlined into queries on `credentials`. */
export const isAlive = sql<boolean>`coalesce(expires_at > now(), true)
  and coalesce(used_at + make_interval(secs => idle_seconds) > now(), true)`

/** Ends credentials and their queues. The internal event drops the cached callers in all processes. */
export async function endCredentials(tx: Tx, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const realm_id = tx.realmId
  const queues = tx.db.deleteFrom('queues').where(matches({ realm_id, credential_id: ids }))
  const ended_queues = await columnOf(queues.returning('id'))
  const credentials = matches({ realm_id, id: ids })
  await tx.db.deleteFrom('credentials').where(credentials).execute()
  tx.emitInternal({ access: true, ...(ended_queues.length > 0 && { ended_queues }) })
}

/** Ends all sessions and tokens of these users, except the one of the current request. */
export async function endCredentialsOf(tx: Tx, userIds: number[], exceptId?: number): Promise<void> {
  const credentials = tx.db.selectFrom('credentials').where(matches({ realm_id: tx.realmId, user_id: userIds }))
  const ids = await columnOf(credentials.select('id'))
  const ended = ids.filter((id) => id !== exceptId)
  await endCredentials(tx, ended)
}

/** Ends expired credentials of all realms, so that their queues end too. */
export async function endExpiredCredentials(ctx: Context): Promise<void> {
  const expired = await many<{ realm_id: number; ids: number[] }>(ctx.db)`
    select realm_id, array_agg(id) as ids from credentials where not (${isAlive}) group by realm_id`
  for (const { realm_id, ids } of expired) await transactIn(ctx, realm_id, (tx) => endCredentials(tx, ids))
}

/** The password of the user is in a directory. */
const hasDirectory = sql`exists (
  select 1 from external_identities e where e.user_id = users.id and e.provider like 'ldap:%')`

/**
 * When a grace period is over, ends the sessions that began before, of users with a password and no second factor. They
 * set one up when they sign in again.
 */
export async function endSessionsWithoutFactor(ctx: Context): Promise<void> {
  const found = await many<{ realm_id: number; ids: number[] }>(ctx.db)`
    with due as (
      select id, to_timestamp((settings ->> 'second_factor_required_from')::bigint) as required_from
        from realms where (settings ->> 'second_factor_required_from')::bigint between 1 and extract(epoch from now())
    )
    select c.realm_id, array_agg(c.id) as ids
      from due join credentials c on c.realm_id = due.id
      join users on users.realm_id = c.realm_id and users.id = c.user_id
     where c.kind = 'session' and c.created_at < due.required_from and (users.password_hash is not null or ${hasDirectory})
       and not (${hasSecondFactor})
     group by c.realm_id`
  for (const { realm_id, ids } of found)
    await transactIn(ctx, realm_id, async (tx) => {
      await endCredentials(tx, ids)
      await tx.audit(null, 'sessions_without_second_factor_ended', { session_ids: ids })
    })
}

/** How precise `used_at` is. Writing every use would cost an update per request. */
const touchInterval = 5 * 60_000

/** Records that the caller's credential is in use, at most every five minutes. */
export function touchCredential({ db, log }: Context, { credential, realm_id }: Caller, ipAddress: string): void {
  if (!credential || Date.now() - credential.used_at.getTime() < touchInterval) return
  credential.used_at = new Date()
  db.updateTable('credentials')
    .set({ used_at: credential.used_at, ip_address: ipAddress })
    .where(matches({ realm_id, id: credential.id }))
    .execute()
    .catch((error: unknown) => log.warn({ err: error }, 'could not record the use of a session'))
}
