import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptsGzip, bodyOf } from './envelope.ts'

const request = { headers: {} } as FastifyRequest
const reply = { header: () => reply } as unknown as FastifyReply

test('a response of any length equals the output of JSON.stringify', async () => {
  for (const length of [0, 1, 499, 500, 501, 1000, 1001, 2500]) {
    const list = Array.from({ length }, (_, id) => ({ id, name: `Zoë "${id}" 😀` }))
    const answer = { result: 'success', none: undefined, list, empty: [], ids: [1, 2], null: null, more: { 'a"b': 1 } }
    assert.equal(String(await bodyOf(answer, request, reply)), JSON.stringify(answer))
  }
})

test('gzip is used only if Accept-Encoding allows it', () => {
  for (const header of ['gzip', 'deflate, gzip;q=1.0, *;q=0.5', 'br, GZIP ; q=0.1'])
    assert.equal(acceptsGzip(header), true, String(header))
  for (const header of [undefined, '', 'br', 'identity', 'gzip;q=0', 'br, gzip; q=0.000', 'x-gzip'])
    assert.equal(acceptsGzip(header), false, String(header))
})
