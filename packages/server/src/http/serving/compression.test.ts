import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import * as queues from '@parley/api/delivery/queues'
import { newWorld } from '../../testing/world.ts'

test('a large response is compressed if the client accepts gzip, a small one never', async () => {
  const { ann, app } = await newWorld()
  const ask = (path: string, encoding?: string) =>
    app.inject({
      url: `/api/v1${path}`,
      headers: { ...ann.headers, ...(encoding && { 'accept-encoding': encoding }) },
    })
  const plain = await ask('/realm/emoji')
  assert.equal(plain.headers['content-encoding'], undefined)
  const large = { method: 'POST' as const, url: '/api/v1/register', headers: { ...ann.headers } }
  const text = await app.inject(large)
  assert.equal(text.headers['content-encoding'], undefined)
  assert.equal(text.headers.vary, 'accept-encoding')
  const packed = await app.inject({ ...large, headers: { ...ann.headers, 'accept-encoding': 'gzip, deflate' } })
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.equal(packed.headers['content-length'], String(packed.rawPayload.length))
  assert.ok(packed.rawPayload.length < text.rawPayload.length / 2)
  assert.deepEqual(
    Object.keys(JSON.parse(gunzipSync(packed.rawPayload).toString())).sort(),
    Object.keys(text.json()).sort(),
  )
  assert.equal((await ask('/realm/emoji', 'gzip')).headers['content-encoding'], undefined)
})

test('events are not compressed: they are small, frequent and urgent', async () => {
  const { ann, app } = await newWorld()
  const { queue_id, last_event_id } = await ann.does(queues.register, { event_types: ['message'] })
  for (let n = 0; n < 3; n++) await ann.sends({ to: [ann], content: 'long '.repeat(1000) })
  const answer = await app.inject({
    url: `/api/v1/events?queue_id=${queue_id}&last_event_id=${last_event_id}&dont_block=true`,
    headers: { ...ann.headers, 'accept-encoding': 'gzip' },
  })
  assert.ok(answer.rawPayload.length > 10_000)
  assert.equal(answer.headers['content-encoding'], undefined)
  assert.equal(answer.json().events.length, 3)
})
