import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Turns } from '../event-loop.ts'

const compress = promisify(gzip)

/** Smaller responses fit into a few packets and gain nothing from compression. */
const leastToCompress = 4096
/** Longer lists are serialized in slices. */
const sliceLength = 50

/**
 * The JSON text of a response, compressed if it is large and the client accepts gzip. Serializing yields to the event
 * loop, and compression runs in another thread, so that large responses do not block other requests.
 */
export async function bodyOf(answer: object, request: FastifyRequest, reply: FastifyReply): Promise<string | Buffer> {
  const body = isGreat(answer) ? await bytesInTurns(answer) : JSON.stringify(answer)
  if (body.length < leastToCompress) return body
  reply.header('vary', 'accept-encoding')
  if (!acceptsGzip(request.headers['accept-encoding'])) return body
  reply.header('content-encoding', 'gzip')
  return compress(body, { level: 1, chunkSize: 64 * 1024 })
}

/** Whether the client accepts gzip; `q=0` means no. */
export function acceptsGzip(header: string | undefined): boolean {
  const gzip = header?.split(',').find((part) => /^\s*gzip\s*(;|$)/i.test(part))
  return gzip !== undefined && !/;\s*q=0(\.0*)?\s*$/i.test(gzip)
}

function isGreat(answer: object): boolean {
  return Object.values(answer).some((value) => Array.isArray(value) && value.length > sliceLength)
}

async function bytesInTurns(answer: object): Promise<Buffer> {
  const turns = new Turns()
  const pieces: Buffer[] = []
  for (const text of textOf(answer)) {
    pieces.push(Buffer.from(text))
    await turns.pause()
  }
  return Buffer.concat(pieces)
}

/** The JSON text of an object, in pieces. */
function* textOf(answer: object): Generator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    if (Array.isArray(value)) yield* listText(value)
    else yield JSON.stringify(value)
    before = ','
  }
  yield '}'
}

function* listText(list: unknown[]): Generator<string> {
  let before = '['
  for (let start = 0; start < list.length; start += sliceLength) {
    yield before + JSON.stringify(list.slice(start, start + sliceLength)).slice(1, -1)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
