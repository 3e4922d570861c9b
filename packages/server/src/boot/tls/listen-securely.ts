import type { Server as HttpServer } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions, type Server as TlsServer } from 'node:tls'
import type { Tls } from '../../config/tls.ts'
import type { Context } from '../../context.ts'
import { contextFromOrders, contextOfChallenge, type FindContext, useFiles } from './secure-contexts.ts'

/** How a certificate authority names its handshake (RFC 8737). */
const challengeProtocol = 'acme-tls/1'
const handshakeMilliseconds = 10_000

/** A server that terminates TLS and hands connections to `http`. Not listening yet. */
export function secureServer(ctx: Context, { from, httpPort }: Tls, http: HttpServer): Server {
  const isOrdered = 'directory' in from
  const secure = terminator('http/1.1', isOrdered ? contextFromOrders(ctx) : undefined)
  if (!isOrdered) useFiles(secure, from)
  secure.on('secureConnection', (socket) => http.emit('connection', socket))
  if (!isOrdered || httpPort > 0) return secure
  const challenges = terminator(challengeProtocol, contextOfChallenge(ctx))
  challenges.on('secureConnection', (socket) => socket.end())
  return createServer((socket) => route(socket, secure, challenges))
}

function terminator(protocol: string, find: FindContext | undefined): TlsServer {
  const server = createTlsServer({
    ALPNProtocols: [protocol],
    handshakeTimeout: handshakeMilliseconds,
    ...(find && { SNICallback: callback(find) }),
  })
  // Scanners cause many; the client knows why its handshake failed.
  return server.on('tlsClientError', (_error, socket) => socket.destroy())
}

function callback(find: FindContext): NonNullable<TlsOptions['SNICallback']> {
  return (host, done) => {
    find(host).then(
      (context) => done(context ? null : new Error('no certificate for this host'), context),
      (error: Error) => done(error),
    )
  }
}

/** The first bytes of a connection name its protocols. */
function route(socket: Socket, secure: TlsServer, challenges: TlsServer): void {
  socket.on('error', () => socket.destroy())
  const timer = setTimeout(() => socket.destroy(), handshakeMilliseconds)
  socket.once('readable', () => {
    clearTimeout(timer)
    const first: Buffer | null = socket.read()
    if (!first) return void socket.destroy()
    socket.unshift(first)
    const server = first.includes(challengeProtocol) ? challenges : secure
    server.emit('connection', socket)
  })
}
