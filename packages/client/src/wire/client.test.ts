import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scripted } from '../testing.ts'
import { ParleyClient } from './client.ts'
import { ConnectionError, ParleyError } from './errors.ts'

test('a GET carries its parameters in the query string, text bare and the rest as JSON', async () => {
  const { client, received } = scripted({ stream_id: 7 }, { messages: [] })
  await client.api.getChannelId({ stream: 'general & more' })
  await client.call('getMessages', { narrow: [['is', 'dm']], num_before: 5, apply_markdown: false })
  assert.deepEqual(received[0]!.params, { stream: 'general & more' })
  assert.deepEqual(received[1]!.params, { narrow: '[["is","dm"]]', num_before: '5', apply_markdown: 'false' })
})

test('everything else carries them in the body', async () => {
  const { client, received } = scripted({})
  await client.api.setTypingStatus({ op: 'start', to: [7] })
  assert.equal(received[0]!.method, 'POST')
  assert.deepEqual(received[0]!.params, { op: 'start', to: '[7]' })
})

test('a channel called 7 is not taken for the channel with the id 7', async () => {
  const { client, received } = scripted({ id: 1 }, { id: 2 })
  await client.api.sendMessage({ type: 'stream', to: '7', topic: '7', content: '7' })
  await client.api.sendMessage({ type: 'stream', to: 7, topic: '7', content: '7' })
  assert.deepEqual(
    received.map(({ params }) => params.to),
    ['"7"', '7'],
  )
  assert.equal(received[0]!.params.content, '7')
})

test('parts of the URL are escaped, and parameters that are undefined are left out', async () => {
  const { client, received } = scripted({ user: {} })
  await client.api.getUserByEmail({ path: { email: 'a/b@x.example' } })
  assert.equal(received[0]!.path, '/users/a%2Fb%40x.example')
  assert.deepEqual(received[0]!.params, {})
})

test('credentials go along in UTF-8', async () => {
  const { client, received } = scripted({})
  await client.api.getOwnUser()
  const encoded = received[0]!.authorization!.replace('Basic ', '')
  assert.equal(Buffer.from(encoded, 'base64').toString(), 'zoë@x.example:secret')
})

test('the answer comes without its envelope, but with what the server ignored', async () => {
  const { client } = scripted({ id: 9, ignored_parameters_unsupported: ['colour'] })
  const answer = await client.api.sendMessage({ type: 'direct', to: [1], content: 'hi' })
  assert.deepEqual(answer, { id: 9, ignored_parameters_unsupported: ['colour'] })
})

test('a refusal is thrown with its code, status and further fields', async () => {
  const { client } = scripted({ status: 400, code: 'BAD_EVENT_QUEUE_ID', queue_id: 'q' })
  await assert.rejects(client.api.getEvents({ queue_id: 'q' }), (error) => {
    assert.ok(error instanceof ParleyError)
    assert.equal(error.code, 'BAD_EVENT_QUEUE_ID')
    assert.equal(error.status, 400)
    assert.equal(error.message, 'no')
    assert.deepEqual(error.fields, { queue_id: 'q' })
    return true
  })
})

test('broken connections and responses of a proxy are not reported as refusals', async () => {
  const { client } = scripted(new TypeError('fetch failed'))
  await assert.rejects(client.api.getOwnUser(), ConnectionError)
  const proxied = new ParleyClient({
    site: 'https://x.example',
    fetch: async () => new Response('<html>', { status: 502 }),
  })
  await assert.rejects(proxied.api.getServerSettings(), ConnectionError)
})

test('wrong names, missing parameters and wrong types do not compile', () => {
  const { client } = scripted()
  const never = () => {
    // @ts-expect-error there is no such operation
    void client.api.fly()
    // @ts-expect-error the content is missing
    void client.api.sendMessage({ type: 'direct', to: [1] })
    // @ts-expect-error an id is a number
    void client.api.getUser({ path: { user_id: '7' } })
    // @ts-expect-error `op` is one of two
    void client.api.setTypingStatus({ op: 'pause' })
  }
  assert.ok(never)
})
