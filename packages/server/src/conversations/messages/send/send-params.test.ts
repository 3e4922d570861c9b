import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendMessage } from '@parley/api/conversations/messages'
import { inChannel } from '../../../testing/channels.ts'
import { sees } from '../../../testing/editing.ts'
import { newWorld } from '../../../testing/world.ts'

const choice = { type: 'multiple_choice', short_name: 'A', long_name: 'Soup', reply: 'soup' }
const zform = { widget_type: 'zform', extra_data: { type: 'choices', heading: 'Lunch?', choices: [choice] } }

test('a message can have a widget with buttons', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann, ben])
  await ben.registers()
  const id = await ann.sends({ channel: 'verona', content: 'Lunch?', widget_content: zform })
  const [event] = await ben.receives('message')
  for (const { submessages } of [event!.message, await sees(ben, id)])
    assert.deepEqual(
      submessages.map(({ message_id, content }) => [message_id, JSON.parse(content)]),
      [[id, zform]],
    )
})

test('widget_content other than valid buttons is refused', async () => {
  const { ann, ben } = await newWorld()
  const message = { type: 'direct', to: [ben.id], content: 'Lunch?' }
  const { extra_data } = zform
  for (const widget_content of [
    'nonsense',
    {},
    { ...zform, widget_type: 'poll' },
    { ...zform, extra_data: { ...extra_data, choices: [{ short_name: 'A' }] } },
  ])
    assert.equal((await ann.isRefused(sendMessage, { ...message, widget_content })).code, 'BAD_REQUEST')
})

test('no user can send as another user', async () => {
  const { ann, ben, olga } = await newWorld()
  await ben.registers()
  const message = { type: 'direct', to: [ben.id], content: 'hi' }
  for (const one of [ann, olga])
    for (const forging of [{ forged: 'yes' }, { sender: 'ann@example.com' }])
      assert.equal((await one.isRefused(sendMessage, { ...message, ...forging })).code, 'BAD_REQUEST')
  assert.deepEqual(await ben.receives('message'), [])
})

test('a channel message must name its channel', async () => {
  const { ann } = await newWorld()
  for (const to of [undefined, '', '""', []]) {
    const { code } = await ann.isRefused(sendMessage, { type: 'channel', to, topic: 'castle', content: 'hi' })
    assert.equal(code, 'BAD_REQUEST')
  }
})
