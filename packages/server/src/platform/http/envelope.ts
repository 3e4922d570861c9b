import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import { lookup } from '@parley/api/lookup'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Turns } from '../event-loop.ts'
import { JsonText } from '../json-text.ts'

/** Smaller responses fit into a few packets and gain nothing from compression. */
const leastToCompress = 4096
/** Longer lists and larger objects are serialized in slices. */
const sliceLength = 50
/** Lists start with slices of this length: their items may be long. */
const firstSliceLength = 10

/**
 * The JSON text of a response, compressed if it is large and the client accepts gzip. Serializing yields to the event
 * loop, and compression runs in another thread, so that large responses do not block other requests.
 */
export async function bodyOf(answer: object, request: FastifyRequest, reply: FastifyReply): Promise<string | Buffer> {
  const slices = isLarge(answer) ? await slicesInTurns(answer) : [JSON.stringify(answer)]
  if (slices[0]!.length < leastToCompress) return slices[0]!
  reply.header('vary', 'accept-encoding')
  if (acceptsGzip(request.headers['accept-encoding'])) {
    reply.header('content-encoding', 'gzip')
    return compress(slices)
  }
  // Joined, because the limits for slow clients count what the socket holds: a stream would hide the rest.
  return typeof slices[0] === 'string' ? slices[0] : joinInTurns(slices as Buffer[])
}

async function joinInTurns(slices: Buffer[]): Promise<Buffer> {
  const turns = new Turns()
  const joined = Buffer.allocUnsafeSlow(slices.reduce((sum, { length }) => sum + length, 0))
  let place = 0
  for (const slice of slices) {
    place += slice.copy(joined, place)
    await turns.pause()
  }
  return joined
}

const compressOne = promisify(gzip)
const compression = { level: 1, chunkSize: 64 * 1024 }

/** Slices are not joined first: that would block the event loop, and take as much memory again. */
async function compress(slices: (Buffer | string)[]): Promise<Buffer> {
  if (slices.length === 1) return compressOne(slices[0]!, compression)
  const chunks: Buffer[] = []
  await pipeline(slices, createGzip(compression), async (compressed) => {
    for await (const chunk of compressed as AsyncIterable<Buffer>) chunks.push(chunk)
  })
  return Buffer.concat(chunks)
}

/** Whether the client accepts gzip; `q=0` means no. */
export function acceptsGzip(header: string | undefined): boolean {
  const gzip = header?.split(',').find((part) => /^\s*gzip\s*(;|$)/i.test(part))
  return gzip !== undefined && !/;\s*q=0(\.0*)?\s*$/i.test(gzip)
}

type Table = Record<string, unknown>

/** Whether a value is a long list or serialized already, or an object that is large or contains something large. */
function isLarge(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.length > firstSliceLength || isSerialized(value)
  if (value instanceof JsonText) return true
  const names = Object.keys(value)
  return names.length > sliceLength || names.some((name) => isLarge(lookup(value as Table, name)))
}

const bytesPerSlice = 128 * 1024

/** All slices but the last have at least `bytesPerSlice`. */
async function slicesInTurns(answer: object): Promise<Buffer[]> {
  const turns = new Turns()
  const slices: Buffer[] = []
  let text = ''
  for (const piece of jsonPieces(answer)) {
    text += piece
    if (text.length < bytesPerSlice) continue
    slices.push(Buffer.from(text))
    text = ''
    await turns.pause()
  }
  if (text !== '' || slices.length === 0) slices.push(Buffer.from(text))
  return slices
}

/** The JSON text of a value, in pieces if it is large. */
function* jsonPieces(value: unknown): Generator<string> {
  if (!isLarge(value)) yield JSON.stringify(value)
  else if (value instanceof JsonText) yield value.text
  else if (Array.isArray(value)) yield* listPieces(value)
  else yield* objectPieces(value as object)
}

/** A list contains either serialized values only, or none. */
function isSerialized(list: unknown[]): list is JsonText[] {
  return list[0] instanceof JsonText
}

/** Slices of long items are shorter. */
function* listPieces(list: unknown[]): Generator<string> {
  yield '['
  let length = firstSliceLength
  for (let start = 0; start < list.length; ) {
    const text = itemsText(list.slice(start, start + length))
    yield (start > 0 ? ',' : '') + text
    start += length
    length = Math.min(sliceLength, Math.max(1, Math.round((length * bytesPerSlice) / text.length)))
  }
  yield ']'
}

function itemsText(items: unknown[]): string {
  return isSerialized(items) ? items.map(({ text }) => text).join() : JSON.stringify(items).slice(1, -1)
}

function* objectPieces(object: object): Generator<string> {
  let before = '{'
  for (const name of Object.keys(object)) {
    const value = lookup(object as Table, name)
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* jsonPieces(value)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}
