import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as flags from '@parley/api/conversations/flags'
import { subscribe, unsubscribe } from '@parley/api/conversations/subscriptions'
import { createBot } from '@parley/api/delivery/bots'
import { operations } from '@parley/api/operations'
import * as presence from '@parley/api/people/presence'
import { createStore } from '@parley/client/store/store'
import { beginGeneration } from '../delivery/queues/server-generation.ts'
import type { Actor } from './actor.ts'
import { differNowhere, everything, verifyEvents } from './verify-events.ts'
import { newWorld, type World } from './world.ts'

type Act = (world: World) => Promise<unknown>

/** Every action is checked for each viewer: administrator, moderator, members and guest. */
function everybody({ adam, mona, ann, ben, gus }: World): Actor[] {
  return [adam, mona, ann, ben, gus]
}

/** Ann, Ben and Gus are in the public verona; Ann and Ben in the private den; Ann alone in the protected vault. */
async function populatedWorld(): Promise<World> {
  const world = await newWorld()
  const { ann, ben, gus } = world
  const all = [ann.id, ben.id, gus.id]
  await ann.does(subscribe, { subscriptions: [{ name: 'verona' }], principals: all })
  const shared = { invite_only: true, history_public_to_subscribers: true }
  await ann.does(subscribe, { subscriptions: [{ name: 'den' }], principals: [ann.id, ben.id], ...shared })
  await ann.does(subscribe, { subscriptions: [{ name: 'vault' }], invite_only: true })
  await ann.sends({ channel: 'verona', content: 'the first of all' })
  return world
}

/** Asserts that old state + events = new state, for every viewer. `prepare` runs before any viewer registers. */
function keepsStateTrue(name: string, act: Act, prepare: Act = async () => {}): void {
  test(`old state + events = new state: ${name}`, async () => {
    const world = await populatedWorld()
    await prepare(world)
    await verifyEvents(everybody(world), () => act(world))
  })
}

keepsStateTrue('nothing happens', async () => {})
keepsStateTrue('the servers are restarted', ({ ctx }) => beginGeneration(ctx))

keepsStateTrue('a message to a channel', ({ ann }) => ann.sends({ channel: 'verona' }))
keepsStateTrue('a message to the empty topic', ({ ann }) => ann.sends({ channel: 'verona', topic: '' }))
keepsStateTrue('a message in another spelling of its topic', async ({ ann, ben }) => {
  await ann.sends({ channel: 'verona', topic: 'Castle' })
  await ben.sends({ channel: 'verona', topic: 'castle' })
})
keepsStateTrue('a message that its sender has read', ({ ann }) =>
  ann.sends({ channel: 'verona', read_by_sender: true }),
)
keepsStateTrue('messages in private channels', async ({ ann, ben }) => {
  await ben.sends({ channel: 'den' })
  await ann.sends({ channel: 'vault' })
})
keepsStateTrue(
  'the first message of a channel',
  ({ ann }) => ann.sends({ channel: 'fresh' }),
  async ({ ann, gus, adam }) => {
    await ann.does(subscribe, { subscriptions: [{ name: 'fresh' }], principals: [ann.id, gus.id] })
    const { stream_id } = await ann.does(operations.getChannelId, { stream: 'fresh' })
    await adam.does(operations.deleteTopic, { path: { stream_id }, topic_name: 'channel events' })
  },
)
keepsStateTrue('a direct message', ({ ann, ben }) => ann.sends({ to: [ben] }))
keepsStateTrue('a direct message to oneself', ({ ann }) => ann.sends({ to: [ann] }))
keepsStateTrue('direct messages among several users', async ({ ann, ben, gus, adam }) => {
  await ann.sends({ to: [ben, gus] })
  await adam.sends({ to: [ann, ben, gus] })
  await gus.sends({ to: [ann, ben] })
})
keepsStateTrue('a mention', ({ ann }) => ann.sends({ channel: 'verona', content: '@**Ben** and @**Olga**, come' }))
keepsStateTrue('a mention in a direct message', ({ ann, ben }) => ann.sends({ to: [ben], content: '@**Ben** come' }))
keepsStateTrue('a mention of all users', ({ ann }) => ann.sends({ channel: 'verona', content: '@**all** hear' }))
keepsStateTrue('a mention of the topic', ({ ann }) => ann.sends({ channel: 'verona', content: '@**topic** hear' }))

const change = (actor: Actor, op: 'add' | 'remove', flag: string, messages: number[]) =>
  actor.does(flags.updateMessageFlags, { op, flag, messages })

let sent: number[] = []
const manyMessages: Act = async ({ ann, ben, gus }) => {
  sent = [
    await ann.sends({ channel: 'verona', content: 'one' }),
    await ann.sends({ channel: 'verona', content: '@**Ben** @**Gus** two' }),
    await ann.sends({ channel: 'verona', content: '@**all** three' }),
    await ann.sends({ to: [ben], content: 'four' }),
    await ann.sends({ to: [ben, gus], content: 'five' }),
    await ben.sends({ to: [ben], content: 'six' }),
  ]
}
const allRead: Act = async (world) => {
  await manyMessages(world)
  await change(world.ben, 'add', 'read', sent)
}
keepsStateTrue('messages are read', ({ ben }) => change(ben, 'add', 'read', sent), manyMessages)
keepsStateTrue('one message is read', ({ ben }) => change(ben, 'add', 'read', [sent[1]!]), manyMessages)
keepsStateTrue('messages are unread again', ({ ben }) => change(ben, 'remove', 'read', sent), allRead)
keepsStateTrue(
  'messages are starred and unstarred',
  async ({ ben }) => {
    await change(ben, 'add', 'starred', [sent[0]!, sent[3]!])
    await change(ben, 'remove', 'starred', [sent[0]!])
  },
  manyMessages,
)
keepsStateTrue(
  'old messages of a channel that the user never subscribed to are starred',
  ({ mona }) => change(mona, 'add', 'starred', [sent[0]!]),
  manyMessages,
)

keepsStateTrue('a public channel is created', ({ ann }) => ann.does(subscribe, { subscriptions: [{ name: 'new' }] }))
keepsStateTrue('a public channel is created for others', ({ ann, ben, gus }) =>
  ann.does(subscribe, { subscriptions: [{ name: 'new' }], principals: [ben.id, gus.id] }),
)
keepsStateTrue('a private channel is created', ({ ann, ben }) =>
  ann.does(subscribe, { subscriptions: [{ name: 'new' }], invite_only: true, principals: [ann.id, ben.id] }),
)
keepsStateTrue('a private channel with a guest is created', ({ ann, gus }) =>
  ann.does(subscribe, { subscriptions: [{ name: 'new' }], invite_only: true, principals: [ann.id, gus.id] }),
)
keepsStateTrue('a private channel is created and used', async ({ ann, ben, gus }) => {
  const principals = [ann.id, ben.id, gus.id]
  await ann.does(subscribe, { subscriptions: [{ name: 'new' }], invite_only: true, principals })
  await gus.sends({ channel: 'new' })
})
keepsStateTrue('a user subscribes', ({ mona }) => mona.does(subscribe, { subscriptions: [{ name: 'verona' }] }))
keepsStateTrue('a user subscribes and receives a message', async ({ mona, ann }) => {
  await mona.does(subscribe, { subscriptions: [{ name: 'verona' }] })
  await ann.sends({ channel: 'verona' })
})
keepsStateTrue('others are added', ({ ann, mona, adam }) =>
  ann.does(subscribe, { subscriptions: [{ name: 'verona' }], principals: [mona.id, adam.id] }),
)
keepsStateTrue('a member is added to private channels', ({ ann, mona }) =>
  ann.does(subscribe, { subscriptions: [{ name: 'den' }, { name: 'vault' }], principals: [mona.id] }),
)
keepsStateTrue('a guest is added to private channels', ({ ann, gus }) =>
  ann.does(subscribe, { subscriptions: [{ name: 'den' }, { name: 'vault' }], principals: [gus.id] }),
)
keepsStateTrue(
  'a guest is added to a public channel',
  ({ ann, gus }) => ann.does(subscribe, { subscriptions: [{ name: 'square' }], principals: [gus.id] }),
  (world) => world.ann.does(subscribe, { subscriptions: [{ name: 'square' }] }),
)

const leave = (actor: Actor, ...subscriptions: string[]) => actor.does(unsubscribe, { subscriptions })
keepsStateTrue('a user unsubscribes', ({ ben }) => leave(ben, 'verona'))
keepsStateTrue('a user unsubscribes with unread messages', ({ ben }) => leave(ben, 'verona', 'den'), manyMessages)
keepsStateTrue('a guest unsubscribes', ({ gus }) => leave(gus, 'verona'))
keepsStateTrue('a user unsubscribes from a private channel', ({ ben }) => leave(ben, 'den'))
keepsStateTrue(
  'an administrator unsubscribes from a private channel',
  ({ adam }) => leave(adam, 'den'),
  ({ ann, adam }) => ann.does(subscribe, { subscriptions: [{ name: 'den' }], principals: [adam.id] }),
)
keepsStateTrue('the last subscriber leaves a private channel', ({ ann }) => leave(ann, 'vault'))
keepsStateTrue('a user is removed', ({ adam, ben, gus }) =>
  adam.does(unsubscribe, { subscriptions: ['verona'], principals: [ben.id, gus.id] }),
)
keepsStateTrue('a user is removed from a private channel', ({ adam, ben }) =>
  adam.does(unsubscribe, { subscriptions: ['den'], principals: [ben.id] }),
)
keepsStateTrue(
  'a user unsubscribes, misses a message and subscribes again',
  async ({ ben, ann }) => {
    await leave(ben, 'verona')
    await ann.sends({ channel: 'verona', content: '@**Ben** missed' })
    await ben.does(subscribe, { subscriptions: [{ name: 'verona' }] })
    await ann.sends({ channel: 'verona', content: '@**Ben** received' })
  },
  manyMessages,
)

keepsStateTrue('an account is created', (world) => world.add('nina'))
keepsStateTrue('a guest and a bot are created', async (world) => {
  await world.add('gina', 600)
  await world.ann.does(createBot, { full_name: 'Robot', short_name: 'robot' })
})
// Going offline emits no event: clients poll for it when they report their own presence.
keepsStateTrue('a user becomes active', ({ ann }) =>
  ann.does(presence.updatePresence, { status: 'active', new_user_input: true }),
)
keepsStateTrue('a default channel is created', ({ adam }) =>
  adam.does(subscribe, { subscriptions: [{ name: 'lobby' }], is_default_stream: true }),
)

test('a store returns the state it was created from', async () => {
  const world = await populatedWorld()
  await manyMessages(world)
  await change(world.ben, 'add', 'starred', [sent[0]!])
  for (const viewer of everybody(world)) {
    const answer = await viewer.registers(everything)
    differNowhere(createStore(answer).snapshot(), answer, viewer.name)
  }
})

test('a store ignores unknown events', async () => {
  const { ann } = await populatedWorld()
  const store = createStore(await ann.registers(everything))
  const earlier = structuredClone(store.snapshot())
  store.apply({ type: 'from_the_future', op: 'update', id: 99 } as never)
  assert.deepEqual(store.snapshot(), earlier)
})

test('the state test fails when an event is missing', async () => {
  const world = await populatedWorld()
  const { ann, ctx } = world
  const secretly = () => ctx.db.updateTable('users').set({ full_name: 'Anna' }).where('id', '=', ann.id).execute()
  await assert.rejects(verifyEvents([ann], secretly), /do not lead to the current state/)
})
