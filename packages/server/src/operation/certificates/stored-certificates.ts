import { createPrivateKey, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import type { Context } from '../../context.ts'
import type { Challenge } from '../../platform/acme/acme-client.ts'
import { newKeyPair, pemOf } from '../../platform/acme/requests.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { column, maybeOne, one } from '../../platform/db/query.ts'

export interface Certificate {
  chain: string
  key: string
}

/** Orders that may begin in an hour: authorities block who orders more. */
const mostOrders = 10

/** The hosts at which organizations are reached. Nothing else is ordered, whatever name a client asks for. */
export async function servedHosts({ db, config }: Pick<Context, 'db' | 'config'>): Promise<string[]> {
  const own = new URL(config.publicUrl!).hostname
  const others = await column<string>(db)`
    select host from realms where host is not null and not deactivated order by id limit 1000`
  return [...new Set([own, ...others])].filter(isName)
}

/** No IP address, and not a name of this machine alone. */
function isName(host: string): boolean {
  return host.includes('.') && isIP(host) === 0 && /^[a-z\d.-]{1,253}$/.test(host)
}

/** One host whose certificate is missing or due, taken by this process; undefined if there is none. */
export async function claimDueHost(db: Database, hosts: string[]): Promise<string | undefined> {
  const [host] = await column<string>(db)`
    with due as (select host from tls_certificates
                  where host = any(${hosts}) and renew_at <= now()
                    and (tried_at is null or tried_at < now() - interval '5 minutes')
                    and (select count(*) from tls_certificates
                          where tried_at > now() - interval '1 hour') < ${mostOrders}
                  order by renew_at limit 1 for update skip locked)
    update tls_certificates set tried_at = now()
     where host = (select host from due) returning host`
  return host
}

/** Adds what has no row yet, so that it can be claimed. */
export async function addHosts(db: Database, hosts: string[]): Promise<void> {
  const rows = hosts.map((host) => ({ host }))
  await db
    .insertInto('tls_certificates')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function saveCertificate(
  { db, vault }: Pick<Context, 'db' | 'vault'>,
  host: string,
  { chain, key }: Certificate,
  times: { not_after: Date; renew_at: Date },
): Promise<void> {
  await db
    .updateTable('tls_certificates')
    .set({ chain, key_sealed: vault.seal(key), ...times, checked_at: new Date(), failures: 0, problem: null })
    .where('host', '=', host)
    .execute()
}

/** The next attempt waits twice as long as the last one, at most a day. */
export async function saveFailure(db: Database, host: string, problem: string): Promise<void> {
  await one<{ failures: number }>(db)`
    update tls_certificates
       set failures = failures + 1, problem = ${problem.slice(0, 500)},
           renew_at = now() + least(interval '1 day', interval '5 minutes' * 2 ^ least(failures + 1, 10))
     where host = ${host} returning failures`
}

export function readCertificate(
  db: Db,
  host: string,
): Promise<{ chain: string | null; key_sealed: Buffer | null } | undefined> {
  return maybeOne<{ chain: string | null; key_sealed: Buffer | null }>(db)`
    select chain, key_sealed from tls_certificates where host = ${host}`
}

export async function saveChallenge(db: Database, host: string, challenge: Challenge): Promise<void> {
  const row = { token: challenge.token, key_authorization: challenge.keyAuthorization, created_at: new Date() }
  await db
    .insertInto('tls_challenges')
    .values({ host, ...row })
    .onConflict((conflict) => conflict.column('host').doUpdateSet(row))
    .execute()
}

export async function deleteChallenge(db: Database, host: string): Promise<void> {
  await db.deleteFrom('tls_challenges').where('host', '=', host).execute()
}

/** The answer to the challenge with this token, or for this host. */
export function findChallenge(
  db: Db,
  by: { token: string } | { host: string },
): Promise<{ host: string; key_authorization: string } | undefined> {
  const { token = null, host = null } = by as { token?: string; host?: string }
  return maybeOne<{ host: string; key_authorization: string }>(db)`
    select host, key_authorization from tls_challenges where token = ${token}::text or host = ${host}::text`
}

/** The key of our account at an authority, made when it is first needed. All processes use the same one. */
export async function accountKey({ db, vault }: Pick<Context, 'db' | 'vault'>, directory: string): Promise<KeyObject> {
  await db
    .insertInto('acme_accounts')
    .values({ directory, key_sealed: vault.seal(pemOf(newKeyPair())) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { key_sealed } = await one<{ key_sealed: Buffer }>(db)`
    select key_sealed from acme_accounts where directory = ${directory}`
  return createPrivateKey(vault.open(key_sealed))
}
