import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateChannel } from '@parley/api/conversations/channels'
import { getSubscriptions, subscribe } from '@parley/api/conversations/subscriptions'
import type { Operation } from '@parley/api/operation'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { assertCheap } from '../../../testing/load/cpu-time.ts'
import { newWorld } from '../../../testing/world.ts'
import { checkDescription } from './channel-names.ts'

/** As long as the declaration allows. */
const long = { blanks: `a${' '.repeat(9990)}b`, 'line breaks': `a${'\r\n'.repeat(4990)}b` }

for (const [name, description] of Object.entries(long))
  test(`descriptions full of ${name} cost no more than others`, async () => {
    const { ann, gus } = await newWorld()
    const stream_id = await inChannel('verona', [ann, gus])
    const asks = (caller: Actor, operation: Operation, params: (text: string) => object) =>
      assertCheap(
        () => caller.request(operation, params(description) as never),
        () => caller.request(operation, params('short') as never),
      )
    const change = (text: string) => ({ path: { stream_id }, description: text })
    await asks(gus, updateChannel as Operation, change)
    await asks(ann, updateChannel as Operation, change)
    await asks(ann, subscribe as Operation, (text) => ({ subscriptions: [{ name: 'verona', description: text }] }))
  })

test('missing permission to change a channel is reported before the description is checked', async () => {
  const { ann, gus } = await newWorld()
  const stream_id = await inChannel('verona', [ann, gus])
  const description = 'a'.repeat(2000)
  const changed = await gus.isRefused(updateChannel, { path: { stream_id }, description })
  assert.match(changed.msg, /permission to administer/)
})

test('line breaks in a description become spaces', () => {
  assert.equal(checkDescription('  one \r\n\n two\tthree\n'), 'one two\tthree')
})

for (const [name, part] of Object.entries({ formulas: '$$\\frac12$$ ', emoji: ':+1: ', mentions: '@**x** ' }))
  test(`everyone loads at most 8,000 characters for a description full of ${name}`, async () => {
    const { ann } = await newWorld()
    const description = part.repeat(Math.floor(1000 / part.length))
    await ann.does(subscribe, { subscriptions: [{ name: 'verona', description }] })

    const [channel] = (await ann.does(getSubscriptions)).subscriptions
    assert.ok(channel!.rendered_description.length <= 8000, String(channel!.rendered_description.length))
    assert.equal(channel!.description, description.trim())
  })
