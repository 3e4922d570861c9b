import { readFileSync } from 'node:fs'
import type { Authority } from '../../config/tls.ts'
import type { Context } from '../../context.ts'
import { AcmeClient, type ChallengeType } from '../../platform/acme/acme-client.ts'
import { certificateId, lifetimeOf, renewalTime } from '../../platform/acme/renewal.ts'
import { newKeyPair, pemOf } from '../../platform/acme/requests.ts'
import { dispatcherFor } from '../../platform/acme/signed-requests.ts'
import { many } from '../../platform/db/query.ts'
import { reasonOf } from '../../platform/postgres/startup-error.ts'
import {
  accountKey,
  addHosts,
  claimDueHost,
  deleteChallenge,
  saveCertificate,
  saveChallenge,
  saveFailure,
  servedHosts,
} from './stored-certificates.ts'

/** With TLS=auto: orders certificates that are missing or due, one host after another. */
export async function renewCertificates(ctx: Context): Promise<void> {
  const authority = authorityOf(ctx)
  if (!authority) return
  const hosts = await servedHosts(ctx)
  await addHosts(ctx.db, hosts)
  let client: AcmeClient | undefined
  for (let host = await claimDueHost(ctx.db, hosts); host; host = await claimDueHost(ctx.db, hosts)) {
    try {
      client ??= await openClient(ctx, authority)
      await order(ctx, client, host)
    } catch (error) {
      ctx.log.warn({ err: error, host }, 'could not order a certificate')
      await saveFailure(ctx.db, host, reasonOf(error))
    }
  }
}

/** Authorities move the time of a renewal forward before they revoke certificates. */
export async function checkRenewals(ctx: Context): Promise<void> {
  const authority = authorityOf(ctx)
  if (!authority) return
  const known = await many<{ host: string; chain: string }>(ctx.db)`
    update tls_certificates set checked_at = now()
     where chain is not null and failures = 0 and checked_at < now() - interval '6 hours'
    returning host, chain`
  if (known.length === 0) return
  const client = await openClient(ctx, authority)
  for (const { host, chain } of known) {
    const renew_at = await renewalOf(client, chain)
    await ctx.db.updateTable('tls_certificates').set({ renew_at }).where('host', '=', host).execute()
  }
}

function authorityOf({ config }: Context): Authority | undefined {
  return config.tls && 'directory' in config.tls.from ? config.tls.from : undefined
}

async function openClient(ctx: Context, { directory, email, caFile }: Authority): Promise<AcmeClient> {
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8')
  return AcmeClient.open(directory, await accountKey(ctx, directory), email, dispatcherFor(ca))
}

async function order(ctx: Context, client: AcmeClient, host: string): Promise<void> {
  const key = newKeyPair()
  const type: ChallengeType = ctx.config.tls!.httpPort > 0 ? 'http-01' : 'tls-alpn-01'
  try {
    const chain = await client.order(host, key, type, (challenge) => saveChallenge(ctx.db, host, challenge))
    const times = { not_after: lifetimeOf(chain).notAfter, renew_at: await renewalOf(client, chain) }
    await saveCertificate(ctx, host, { chain, key: pemOf(key) }, times)
    ctx.log.info({ host, ...times }, 'ordered a certificate')
  } finally {
    await deleteChallenge(ctx.db, host)
  }
}

async function renewalOf(client: AcmeClient, chain: string): Promise<Date> {
  const id = certificateId(chain)
  const window = id === undefined ? undefined : await client.suggestedRenewal(id).catch(() => undefined)
  return renewalTime(lifetimeOf(chain), window)
}
