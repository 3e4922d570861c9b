import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueueEvent } from '@parley/api/events'
import { MessageCache } from '../messages/cache.ts'
import type { Store } from '../store/store.ts'
import { scripted } from '../testing.ts'
import { Changes } from './changes.ts'
import { Deliveries } from './deliveries.ts'
import { Outbox, type Sender } from './outbox.ts'

const destination = { stream_id: 3, topic: 'tea' }

function newOutbox(...answers: Parameters<typeof scripted>) {
  const { client, received } = scripted(...answers)
  const deliveries = new Deliveries(client)
  const own = { full_name: 'Ann', email: 'ann@x.example' }
  const store = {
    conversations: { newest: 7 },
    users: { byId: new Map([[1, own]]) },
    channels: { subscribed: new Map() },
  }
  const session = {
    deliveries,
    changes: new Changes(),
    messages: new MessageCache(),
    windows: [],
    viewerId: 1,
    queueId: 'q1',
    store: store as unknown as Store,
  } satisfies Sender
  return { outbox: new Outbox(session), session, received }
}

/** Waits until the server has answered everything in the outbox. */
async function settled({ deliveries }: Sender): Promise<void> {
  await deliveries.deliver('setTypingStatus', { op: 'stop', to: [1] }).catch(() => {})
}

const arrival = (local_message_id: string) =>
  ({ type: 'message', local_message_id, message: { id: 8 }, flags: [] }) as unknown as Extract<
    QueueEvent,
    { type: 'message' }
  >

test('a message is shown at once, and its event takes its place', async () => {
  const { outbox, session, received } = newOutbox({ id: 8 }, {})
  outbox.send(destination, '*hi*', '<p><em>hi</em></p>')
  const [shown] = session.messages.byId.values()
  assert.equal(shown!.content, '<p><em>hi</em></p>')
  await settled(session)
  assert.equal(outbox.size, 1)
  outbox.arrived(arrival(received[0]!.params.local_id!))
  assert.deepEqual([outbox.size, session.messages.byId.size], [0, 0])
})

test('a send that got no response is repeated unchanged, with the same key, even after the queue was lost', async () => {
  const { outbox, session, received } = newOutbox(new TypeError('fetch failed'), { id: 8 }, {})
  outbox.send(destination, 'hi', '<p>hi</p>')
  session.queueId = 'q2'
  outbox.showAgain()
  await settled(session)
  assert.deepEqual(received[1], received[0])
  assert.equal(received[0]!.params.queue_id, 'q1')
  assert.equal(session.messages.byId.size, 0) // the server's message comes without a local id
})

test('a message that the server already has is not shown again after the queue was lost', async () => {
  const { outbox, session } = newOutbox({ id: 8 }, {})
  outbox.send(destination, 'hi', '<p>hi</p>')
  await settled(session)
  session.messages.byId.clear()
  outbox.showAgain()
  assert.deepEqual([outbox.size, session.messages.byId.size], [0, 0])
})

test('a refused message says why and can be sent again with a new key', async () => {
  const { outbox, session, received } = newOutbox({ status: 400, msg: 'Too long.' }, {}, { id: 8 }, {})
  outbox.send(destination, 'hi', '<p>hi</p>')
  await settled(session)
  const [refused] = session.messages.byId.values()
  assert.equal(refused!.failure, 'Too long.')
  assert.equal(outbox.size, 0)
  outbox.retry(refused!.local_id!)
  await settled(session)
  assert.deepEqual(received[2]!.params, received[0]!.params)
  assert.notEqual(received[2]!.idempotencyKey, received[0]!.idempotencyKey)
})

const waitingIn = (tab: string, ...messages: { local_id: string; failure?: string }[]) =>
  ({ type: 'waiting', tab, messages }) as never

test('what another tab is sending is shown until it arrives, or that tab no longer sends it', async () => {
  const { outbox, session } = newOutbox()
  outbox.hear(waitingIn('b', { local_id: 'x' }, { local_id: 'y' }))
  assert.deepEqual([outbox.size, session.messages.byId.size], [2, 2])
  outbox.arrived(arrival('x'))
  outbox.hear(waitingIn('b', { local_id: 'y', failure: 'Too long.' }))
  assert.deepEqual(
    [...session.messages.byId.values()].map(({ failure }) => failure),
    ['Too long.'],
  )
  outbox.hear(waitingIn('b'))
  assert.deepEqual([outbox.size, session.messages.byId.size], [0, 0])
})

test('a message that another tab continues to send is shown once', () => {
  const { outbox, session } = newOutbox()
  outbox.hear(waitingIn('b', { local_id: 'x' }))
  outbox.hear(waitingIn('c', { local_id: 'x' }))
  outbox.hear(waitingIn('b'))
  assert.equal(session.messages.byId.size, 1)
})

test('the tab that sent a refused message does what the user decides in another one', () => {
  const { outbox, session } = newOutbox()
  const sent: unknown[] = []
  Object.assign(session, { tellTabs: (news: unknown) => sent.push(news) })
  outbox.hear(waitingIn('b', { local_id: 'x', failure: 'Too long.' }))
  outbox.discard('x')
  assert.deepEqual(sent, [{ type: 'decided', local_id: 'x', decision: 'discard' }])
})
