import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateMessageFlags } from '@parley/api/conversations/flags'
import { getMessages } from '@parley/api/conversations/messages'
import fc from 'fast-check'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { edits } from '../../../testing/editing.ts'
import { newWorld } from '../../../testing/world.ts'

const name = fc.constantFrom('verona', 'rome', 'vault')
const topic = fc.constantFrom('a', 'b')
const step = fc.oneof(
  fc.record({ does: fc.constant('send' as const), to: name, topic, own: fc.boolean() }),
  fc.record({
    does: fc.constant('mark' as const),
    op: fc.constantFrom('add' as const, 'remove' as const),
    flag: fc.constantFrom('read', 'read', 'starred'),
    which: fc.array(fc.nat(12), { minLength: 1, maxLength: 5 }),
  }),
  fc.record({
    does: fc.constant('move' as const),
    which: fc.nat(12),
    to: name,
    topic,
    mode: fc.constantFrom('change_one' as const, 'change_later' as const, 'change_all' as const),
  }),
)

async function flagsOf(actor: Actor, message_ids: number[]): Promise<Map<number, string>> {
  const { messages } = await actor.does(getMessages, { message_ids })
  return new Map(messages.map(({ id, flags }) => [id, flags.join()]))
}

async function unreadOf(actor: Actor): Promise<number[]> {
  const { unread_msgs } = await actor.registers({ fetch_event_types: ['message', 'update_message_flags'] })
  return unread_msgs!.streams.flatMap(({ unread_message_ids }) => unread_message_ids)
}

test('a move keeps the read state of a subscriber of both channels, and unread_msgs agrees with the flags', async () => {
  const world = await newWorld()
  const { ann, ben, mona } = world
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
      const run = ++runs
      const channels: Record<string, number> = {}
      for (const [kind, options] of [
        ['verona', {}],
        ['rome', {}],
        ['vault', { invite_only: true, history_public_to_subscribers: false }],
      ] as const)
        channels[kind] = await inChannel(`${kind} ${run}`, kind === 'rome' ? [ann, ben, mona] : [ann, ben], options)
      const ids: number[] = []
      const at = (n: number) => ids[n % ids.length]!
      for (const one of steps) {
        if (one.does === 'send') {
          const sender = one.own ? ben : ann
          ids.push(await sender.sends({ channel: `${one.to} ${run}`, topic: one.topic, read_by_sender: one.own }))
        } else if (ids.length > 0 && one.does === 'mark') {
          const messages = [...new Set(one.which.map(at))]
          await ben.does(updateMessageFlags, { op: one.op, flag: one.flag, messages })
        } else if (ids.length > 0 && one.does === 'move') {
          const before = await flagsOf(ben, ids)
          const move = { stream_id: channels[one.to]!, topic: one.topic, propagate_mode: one.mode }
          await edits(ann, at(one.which), { ...move, send_notification_to_new_thread: false }).catch(nothingToChange)
          assert.deepEqual(await flagsOf(ben, ids), before)
        }
        for (const actor of [ben, mona]) {
          const flags = await flagsOf(actor, ids)
          const unread = [...flags].filter(([, list]) => !list.split(',').includes('read')).map(([id]) => id)
          const known = new Set(ids)
          const summed = (await unreadOf(actor)).filter((id) => known.has(id)).sort((a, b) => a - b)
          assert.deepEqual(summed, unread)
        }
      }
    }),
    { numRuns: 5 },
  )
})

function nothingToChange(error: Error): void {
  if (!error.message.includes('Nothing to change')) throw error
}
