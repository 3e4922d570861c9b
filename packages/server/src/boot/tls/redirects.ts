import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Context } from '../../context.ts'
import { findChallenge } from '../../operation/certificates/stored-certificates.ts'
import { hostNameOf, onHost } from '../../organization/realms/hosts.ts'

const challengePath = /^\/\.well-known\/acme-challenge\/([\w-]{1,200})$/
const hostName = /^[a-z\d.-]{1,253}$/
const longestUrl = 8000

/** Answers certificate authorities, and sends everything else to HTTPS. Not listening yet. */
export function redirectServer(ctx: Context): Server {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    answer(ctx, request, response).catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'could not answer on the port for HTTP')
      response.writeHead(503).end()
    })
  })
  server.keepAliveTimeout = 5000
  return server
}

async function answer(ctx: Context, { url = '/', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, token] = challengePath.exec(url) ?? []
  const challenge = token === undefined ? undefined : await findChallenge(ctx.db, { token })
  if (challenge) {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(challenge.key_authorization)
    return
  }
  const target = secureUrl(ctx.config.publicUrl!, headers.host) + (url.startsWith('/') ? url : '/')
  if (target.length > longestUrl) response.writeHead(414).end()
  else response.writeHead(308, { location: target, 'cache-control': 'no-store' }).end()
}

function secureUrl(publicUrl: string, hostHeader: string | undefined): string {
  const host = hostNameOf(hostHeader) ?? ''
  return hostName.test(host) ? onHost(publicUrl, host) : publicUrl
}
