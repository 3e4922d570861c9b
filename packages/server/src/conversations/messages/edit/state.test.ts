import { test } from 'node:test'
import { updateMessageFlags } from '@parley/api/conversations/flags'
import { inChannel } from '../../../testing/channels.ts'
import { edits } from '../../../testing/editing.ts'
import { legacyClient, verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld, type World } from '../../../testing/world.ts'

interface Scene {
  world: World
  verona: number
  rome: number
  den: number
  ids: [number, number, number]
}

/** Unread, read, starred and mentioning messages in verona. All are subscribed to it, only some to rome and den. */
async function newScene(): Promise<Scene> {
  const world = await newWorld()
  const { ann, ben, mona, gus } = world
  const verona = await inChannel('verona', [ann, ben, mona, gus])
  const rome = await inChannel('rome', [ann, ben])
  const den = await inChannel('den', [ann, ben], { invite_only: true, history_public_to_subscribers: true })
  const ids: number[] = []
  for (const content of ['one', '@**Ben** two', 'three'])
    ids.push(await ann.sends({ channel: 'verona', topic: 'castle', content }))
  // The newest message stays: no event says which message is the newest after it moves away.
  await ann.sends({ channel: 'verona', topic: 'garden' })
  await ben.does(updateMessageFlags, { op: 'add', flag: 'starred', messages: ids.slice(0, 2) })
  await mona.does(updateMessageFlags, { op: 'add', flag: 'starred', messages: ids.slice(0, 2) })
  await ben.does(updateMessageFlags, { op: 'add', flag: 'read', messages: [ids[0]!] })
  return { world, verona, rome, den, ids: ids as Scene['ids'] }
}

function testState(name: string, act: (scene: Scene) => Promise<unknown>): void {
  for (const [clients, params] of [
    ['current clients', undefined],
    ['old clients', legacyClient],
  ] as const)
    test(`events keep the state of ${clients} correct: ${name}`, async () => {
      const scene = await newScene()
      const { adam, ann, ben, mona, gus } = scene.world
      await verifyEvents([adam, ann, ben, mona, gus], () => act(scene), params)
    })
}

const whole = { propagate_mode: 'change_all' } as const

testState('content is edited', ({ world: { ann }, ids }) => edits(ann, ids[2], { content: '@**Ben** come' }))
testState('a mention is removed', ({ world: { ann }, ids }) => edits(ann, ids[1], { content: 'stay' }))
testState('a topic is renamed', ({ world: { ann }, ids }) => edits(ann, ids[0], { topic: 'tower', ...whole }))
testState('a topic is renamed to the empty one', ({ world: { ann }, ids }) =>
  edits(ann, ids[0], { topic: '', ...whole }),
)
testState('a topic is resolved', ({ world: { ben }, ids }) => edits(ben, ids[0], { topic: '✔ castle', ...whole }))
testState('later messages move to another topic', ({ world: { ann }, ids }) =>
  edits(ann, ids[1], { topic: 'tower', propagate_mode: 'change_later', send_notification_to_old_thread: true }),
)
testState('a topic moves to another public channel', ({ world: { ann }, ids, rome }) =>
  edits(ann, ids[0], { stream_id: rome, ...whole }),
)
testState('a topic moves to a private channel', ({ world: { ann }, ids, den }) =>
  edits(ann, ids[0], { stream_id: den, ...whole }),
)
testState('one message moves to another channel', ({ world: { ann }, ids, rome }) =>
  edits(ann, ids[1], { stream_id: rome, topic: 'forum' }),
)
