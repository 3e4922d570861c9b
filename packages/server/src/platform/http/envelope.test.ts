import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptsGzip, bodyOf } from './envelope.ts'

const request = (encoding?: string) => ({ headers: { 'accept-encoding': encoding } }) as FastifyRequest
const reply = { header: () => reply } as unknown as FastifyReply

test('a response of any size equals the output of JSON.stringify, compressed or not', async () => {
  for (const length of [0, 1, 499, 500, 501, 1000, 1001, 2500]) {
    const list = Array.from({ length }, (_, id) => ({ id, name: `Zoë "${id}" 😀` }))
    const byId = Object.fromEntries(list.map((one) => [`"${one.id}"`, one.id % 3 === 0 ? undefined : one]))
    const nested = { few: { list, byId, none: undefined } }
    const small = { empty: [], ids: [1, 2], null: null, date: new Date(0), more: { 'a"b': 1 } }
    const answer = { result: 'success', none: undefined, list, byId, nested, ...small }
    const plain = Buffer.from(await bodyOf(answer, request(), reply))
    assert.equal(plain.toString(), JSON.stringify(answer))
    const packed = (await bodyOf(answer, request('gzip'), reply)) as Buffer
    if (plain.length >= 4096) assert.equal(gunzipSync(packed).toString(), JSON.stringify(answer))
  }
})

test('gzip is used only if Accept-Encoding allows it', () => {
  for (const header of ['gzip', 'deflate, gzip;q=1.0, *;q=0.5', 'br, GZIP ; q=0.1'])
    assert.equal(acceptsGzip(header), true, String(header))
  for (const header of [undefined, '', 'br', 'identity', 'gzip;q=0', 'br, gzip; q=0.000', 'x-gzip'])
    assert.equal(acceptsGzip(header), false, String(header))
})
