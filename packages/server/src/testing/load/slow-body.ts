import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'

interface SlowRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

/**
 * Sends a request without the end of its body, which `inject` cannot do. Returns once the server has received it, with a
 * function that sends the rest.
 */
export async function sendSlowly(app: FastifyInstance, { method, path, headers, body }: SlowRequest) {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: { ...headers, 'content-length': Buffer.byteLength(body), expect: '100-continue' },
  })
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  return async () => {
    outgoing.end(body)
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    return JSON.parse(await text(response))
  }
}
