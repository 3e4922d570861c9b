// The limit we compare with: node:http and nothing else. GET /wait parks the connection until the next POST /send,
// or answers at once if there was one since; everything else checks a Basic header against a map, parses the query or form,
// and answers with a little JSON. Responses have as many bytes as ours, apart from headers.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parse } from 'fast-querystring'

const users = new Map<string, number>()
const waiting: { response: ServerResponse; queue: unknown }[] = []
const message = JSON.stringify({ content: 'x'.repeat(795) })
let sent = 1

function answer(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}

function wait(url: string, response: ServerResponse): void {
  const { queue_id: queue, last_event_id } = parse(url.split('?')[1] ?? '')
  if (Number(last_event_id) < sent) answer(response, newest(queue))
  else waiting.push({ response, queue })
}

function send(): void {
  sent++
  for (const { response, queue } of waiting.splice(0)) answer(response, newest(queue))
}

function newest(queue: unknown): string {
  return found(queue, `{"id":${sent},"type":"message","message":${message}}`)
}

function found(queue: unknown, events: string): string {
  return `{"result":"success","msg":"","queue_id":"${queue}","events":[${events}]}`
}

const server = createServer((request, response) => {
  const header = request.headers.authorization ?? ''
  if (!users.has(header)) users.set(header, users.size)
  if (request.url!.startsWith('/wait')) return wait(request.url!, response)
  if (request.method === 'GET') {
    return answer(response, found(parse(request.url!.split('?')[1] ?? '').queue_id, ''))
  }
  let body = ''
  request.setEncoding('utf8').on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    parse(body)
    if (request.url!.startsWith('/send')) send()
    answer(response, '{"result":"success","msg":"","id":1}')
  })
})
server.keepAliveTimeout = 75_000
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.on('SIGTERM', () => process.exit(0))
