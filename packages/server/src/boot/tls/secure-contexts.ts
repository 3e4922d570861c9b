import { readFileSync, statSync } from 'node:fs'
import { createSecureContext, type SecureContext, type Server } from 'node:tls'
import { LRUCache } from 'lru-cache'
import type { Context } from '../../context.ts'
import { findChallenge, readCertificate } from '../../operation/certificates/stored-certificates.ts'
import { challengeCertificate } from '../../platform/acme/requests.ts'
import { reasonOf, StartupError } from '../../platform/postgres/startup-error.ts'

/** Finds the certificate for the host that a client names; undefined if there is none. */
export type FindContext = (host: string) => Promise<SecureContext | undefined>

const options = { minVersion: 'TLSv1.2' } as const

const fileCheckMilliseconds = 5000

/** Gives the server the certificate in the files, again after they have changed: a renewed one needs no restart. */
export function useFiles(server: Server, { certFile, keyFile }: { certFile: string; keyFile: string }): void {
  const version = () => [certFile, keyFile].map((file) => statSync(file).mtimeMs).join()
  const use = () => server.setSecureContext({ ...options, cert: readFileSync(certFile), key: readFileSync(keyFile) })
  let known = tryAtStart(() => {
    use()
    return version()
  })
  const timer = setInterval(() => {
    try {
      const now = version()
      if (now !== known) use()
      known = now
    } catch {
      // One of the two files may not be written yet: the old certificate stays until they agree.
    }
  }, fileCheckMilliseconds)
  timer.unref()
  server.on('close', () => clearInterval(timer))
}

function tryAtStart<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new StartupError(`TLS_CERT_FILE and TLS_KEY_FILE cannot be used (${reasonOf(error)}): check both files.`)
  }
}

/** How long a process uses a certificate before it looks whether another one has renewed it. */
const freshMilliseconds = 10_000
/** A certificate that is missing may arrive at any moment. */
const missingMilliseconds = 1000
/** Of names for which there is no certificate, too. */
const mostHosts = 2000

/** Certificates that were ordered, by host. */
export function contextFromOrders(ctx: Pick<Context, 'db' | 'vault'>): FindContext {
  const contexts = new LRUCache<string, { context: SecureContext | undefined; chain: string | null }>({
    max: mostHosts,
    ttl: freshMilliseconds,
    fetchMethod: async (host, before, { options: entry }) => {
      const found = await readCertificate(ctx.db, host)
      const chain = found?.chain ?? null
      if (chain === null) entry.ttl = missingMilliseconds
      if (before && before.chain === chain) return before
      const key = found?.key_sealed && ctx.vault.open(found.key_sealed)
      return { chain, context: chain && key ? createSecureContext({ ...options, cert: chain, key }) : undefined }
    },
  })
  return async (host) => (await contexts.fetch(host.toLowerCase()))?.context
}

/** The certificate that proves to an authority that it reached this server. */
export function contextOfChallenge({ db }: Pick<Context, 'db'>): FindContext {
  return async (host) => {
    const challenge = await findChallenge(db, { host: host.toLowerCase() })
    return challenge && createSecureContext({ ...options, ...challengeCertificate(host, challenge.key_authorization) })
  }
}
