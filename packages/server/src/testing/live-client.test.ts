import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStore } from '@parley/client/store/store'
import { ParleyClient } from '@parley/client/wire/client'
import type { ParleyError } from '@parley/client/wire/errors'
import type { StateOrEvent } from '@parley/client/wire/events'
import type { Actor } from './actor.ts'
import { newLoopback } from './peers/loopback.ts'

const { ctx, realm, ann, ben } = await newLoopback()

function clientOf({ credentials: { email, key } }: Actor): ParleyClient {
  return new ParleyClient({ site: realm, email, key })
}

/** The next update that is an event of this type. */
async function next(news: AsyncGenerator<StateOrEvent>, type: string) {
  for await (const one of { [Symbol.asyncIterator]: () => ({ next: () => news.next() }) }) {
    if ('event' in one && one.event.type === type) return one.event
  }
  return assert.fail('the events ended')
}

test('our client works with a listening server', async () => {
  const { api } = clientOf(ann)
  await api.subscribe({ subscriptions: [{ name: '7' }], announce: false })
  const { id } = await api.sendMessage({ type: 'stream', to: '7', topic: 'numbers', content: 'a channel called 7' })
  const { message } = await api.getMessage({ path: { message_id: id }, apply_markdown: false })
  assert.equal(message.content, 'a channel called 7')
  assert.equal((await api.getUserByEmail({ path: { email: ben.credentials.email } })).user.user_id, ben.id)
  await assert.rejects(api.getUser({ path: { user_id: 999_999 } }), { code: 'BAD_REQUEST', status: 400 })
})

test('our client needs no credentials for public operations', async () => {
  const settings = await new ParleyClient({ site: realm }).api.getServerSettings()
  assert.equal(settings.realm_url, realm)
  const unknown = new ParleyClient({ site: realm }).api.getOwnUser()
  await assert.rejects(unknown, (error: ParleyError) => error.code === 'UNAUTHORIZED')
})

test('our client follows events, and gets a new state when its queue is lost', async () => {
  const client = clientOf(ben)
  const stop = new AbortController()
  const news = client.events({ register: { include_subscribers: true }, signal: stop.signal })
  const first = await news.next()
  assert.ok(!first.done && 'state' in first.value)
  const store = createStore(first.value.state)
  assert.equal(store.users.byId.get(ann.id)?.full_name, 'ann Loopback')

  const sent = await ann.sends({ to: [ben] })
  const received = await next(news, 'message')
  store.apply(received)
  assert.ok(store.unread.places.has(sent))

  await clientOf(ben).api.deleteQueue({ queue_id: first.value.state.queue_id })
  const again = await news.next()
  assert.ok(!again.done && 'state' in again.value)
  assert.notEqual(again.value.state.queue_id, first.value.state.queue_id)
  assert.deepEqual(createStore(again.value.state).unread.snapshot(), store.unread.snapshot())

  const waiting = news.next()
  stop.abort()
  assert.equal((await waiting).done, true)
  const { rows } = await ctx.pool.query('select 1 from queues where user_id = $1', [ben.id])
  assert.equal(rows.length, 0)
})
