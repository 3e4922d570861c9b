import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  bytes: Buffer
}

export interface Receiver {
  url: string
  port: number
  requests: Received[]
}

type Answer = (response: ServerResponse, request: Received, count: number) => void

/** A webhook endpoint: a real HTTP server that records requests and responds as configured. */
export async function newReceiver(answer: Answer = answersJson({})): Promise<Receiver> {
  const requests: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const received = {
      method: request.method!,
      path: request.url!,
      headers: request.headers,
      body: bytes.toString(),
      bytes,
    }
    requests.push(received)
    answer(response, received, requests.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref() // of several hooks in one test, not all run
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, port, requests }
}

export function answersJson(body: unknown, status = 200): Answer {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export function answersText(text: string, status = 200): Answer {
  return (response) => response.writeHead(status).end(text)
}
