import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMessage, sendMessage } from '@parley/api/conversations/messages'
import { addSubmessage } from '@parley/api/conversations/widgets'
import { pressAction } from '@parley/api/delivery/actions'
import { createUserGroup } from '@parley/api/organization/groups'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel, joins } from '../../../testing/channels.ts'
import { sees } from '../../../testing/editing.ts'
import { answersJson, answersText, newReceiver } from '../../../testing/peers/receiver.ts'
import { newBot } from '../../../testing/peers/webhook-world.ts'
import { newWorld } from '../../../testing/world.ts'

const form = {
  title: 'Details',
  fields: [
    { name: 'why', label: 'Reason', type: 'text', required: true },
    { name: 'when', label: 'Day', type: 'date' },
    { name: 'level', label: 'Level', type: 'select', options: [{ value: 'high', label: 'High' }] },
  ],
}
const rows = [
  [
    { type: 'button', id: 'ack', label: 'Acknowledge', style: 'primary' },
    { type: 'button', id: 'ask', label: 'Explain', form },
    { type: 'button', id: 'docs', label: 'Docs', url: 'https://example.com/' },
    { type: 'button', id: 'no', label: 'No', reply: 'no thanks' },
  ],
  [{ type: 'select', id: 'who', label: 'Assign', options: [{ value: 'ann', label: 'Ann' }] }],
]

const widget = (extra_data: object) => ({ widget_type: 'actions', extra_data }) as never

async function sendsActions(sender: Actor, to: number, extra_data: object = { rows }) {
  const params = { type: 'channel', to, topic: 'alerts', content: 'Disk full', widget_content: widget(extra_data) }
  return (await sender.does(sendMessage, params as never)).id
}

async function withEndpoint(answer: object | string, status = 200) {
  const world = await newWorld()
  const { ann, ben, ctx } = world
  ctx.config.internalWebhooks = ['127.0.0.1']
  const receiver = await newReceiver(
    typeof answer === 'string' ? answersText(answer, status) : answersJson(answer, status),
  )
  const bot = await newBot(world, ann, receiver.url)
  const channel = await inChannel('verona', [ann, ben])
  await joins(bot, 'verona')
  const message_id = await sendsActions(bot, channel)
  return { ...world, world, bot, channel, receiver, path: { message_id } }
}

test('a press calls the bot, whose answer only the presser sees', async () => {
  const { ann, ben, bot, receiver, path, channel } = await withEndpoint({ text: '**done**' })
  for (const one of [ann, ben]) await one.registers()
  await ben.does(pressAction, { path, action_id: 'who', value: 'ann' })
  const [request] = receiver.requests
  const { type, action_id, value, user, message } = JSON.parse(request!.body)
  assert.deepEqual([type, action_id, value, user.id, message.id], ['action', 'who', 'ann', ben.id, path.message_id])
  assert.match(String(request!.headers['webhook-signature']), /^v1,/)
  const [shown] = await ben.receives('ephemeral_message')
  assert.deepEqual(
    [shown!.sender_id, shown!.content, shown!.stream_id, shown!.topic],
    [bot.id, '<p><strong>done</strong></p>', channel, 'alerts'],
  )
  assert.deepEqual(await ann.receives('ephemeral_message'), [])
})

test('an answer can change the message and its buttons, be sent, or open a form', async () => {
  const other = [[{ type: 'button', id: 'reopen', label: 'Reopen' }]]
  const update = { content: 'Acknowledged', rows: other }
  const { ben, path } = await withEndpoint({ update, form, content: 'noted', response_type: 'in_channel' })
  await ben.registers()
  assert.deepEqual((await ben.does(pressAction, { path, action_id: 'ack' })).form, form)
  const message = await sees(ben, path.message_id)
  assert.match(message.content, /Acknowledged/)
  assert.match(message.submessages.at(-1)!.content, /reopen/)
  assert.match((await ben.receives('message'))[0]!.message.content, /noted/)
  assert.match((await ben.isRefused(pressAction, { path, action_id: 'ack' })).msg, /no such action/)
  await ben.does(pressAction, { path, action_id: 'reopen' })
})

for (const [what, answer, status, reason] of [
  ['fails', {}, 500, /status 500/],
  ['is no JSON', 'oops', 200, /another form/],
  ['has a form without fields', { form: { title: 'x', fields: [] } }, 200, /another form/],
] as const)
  test(`an answer that ${what} is an error and changes nothing`, async () => {
    const { ben, path } = await withEndpoint(answer, status)
    const refused = await ben.isRefused(pressAction, { path, action_id: 'ack' })
    assert.equal(refused.code, 'BOT_NOT_REACHED')
    assert.match(refused.msg, reason)
  })

test('what is pressed at the message of a bot without an endpoint is shown to all readers', async () => {
  const { ann, ben } = await newWorld()
  const channel = await inChannel('verona', [ann, ben])
  const path = { message_id: await sendsActions(ann, channel) }
  await ann.registers()
  const answers = { why: 'full', when: '2026-11-19', level: 'high' }
  await ben.does(pressAction, { path, action_id: 'ask', answers })
  const [event] = await ann.receives('submessage')
  assert.equal(event!.sender_id, ben.id)
  assert.deepEqual(JSON.parse(event!.content), { type: 'action', action_id: 'ask', answers })
})

test('presses that do not fit the message are refused and call nobody', async () => {
  const { ben, gus, path, receiver } = await withEndpoint({})
  const refusals: [object, RegExp][] = [
    [{ action_id: 'other' }, /no such action/],
    [{ action_id: 'who', value: 'ben' }, /Choose one/],
    [{ action_id: 'who' }, /Choose one/],
    [{ action_id: 'docs' }, /calls no bot/],
    [{ action_id: 'no' }, /calls no bot/],
    [{ action_id: 'ask' }, /Reason is required/],
    [{ action_id: 'ask', answers: { why: 'x', when: 'soon' } }, /Day has an invalid/],
    [{ action_id: 'ask', answers: { why: 'x', level: 'low' } }, /Level has an invalid/],
    [{ action_id: 'ask', answers: { why: 'x', more: 'y' } }, /no field more/],
    [{ action_id: 'ask', answers: { why: true } }, /Reason has an invalid/],
  ]
  for (const [params, reason] of refusals)
    assert.match((await ben.isRefused(pressAction, { path, ...params } as never)).msg, reason)
  assert.match((await gus.isRefused(pressAction, { path, action_id: 'ack' })).msg, /Invalid message/)
  assert.equal(receiver.requests.length, 0)
})

test('only members of the allowed group may press, and presses cannot be forged as submessages', async () => {
  const { ann, ben, olga } = await newWorld()
  const channel = await inChannel('verona', [ann, ben])
  const { group_id } = await olga.does(createUserGroup, { name: 'crew', description: '', members: [ann.id] } as never)
  const path = { message_id: await sendsActions(ann, channel, { rows, allowed_group: group_id }) }
  assert.equal((await ben.isRefused(pressAction, { path, action_id: 'ack' })).code, 'PERMISSION_DENIED')
  await ann.does(pressAction, { path, action_id: 'ack' })
  const content = JSON.stringify({ type: 'action', action_id: 'ack' })
  const forged = { ...path, msg_type: 'widget', content } as const
  assert.match((await ben.isRefused(addSubmessage, forged)).msg, /actions data/)
})

test('clients of Zulip get buttons with replies as a zform, and no others', async () => {
  const { world, ben, bot, channel, path } = await withEndpoint({})
  const plain = await sendsActions(bot, channel, { rows: [[{ type: 'button', id: 'x', label: 'X' }]] })
  const headers = { ...ben.headers, 'user-agent': 'ZulipMobile/27.0' }
  const seen = async (id: number) => {
    const url = `/api/v1/messages/${id}`
    return (await world.app.inject({ url, headers })).json().message.submessages
  }
  const [form] = await seen(path.message_id)
  const { widget_type, extra_data } = JSON.parse(form.content)
  assert.equal(widget_type, 'zform')
  assert.deepEqual(
    [extra_data.heading, extra_data.choices.map(({ reply }: { reply: string }) => reply)],
    ['Docs: https://example.com/', ['no thanks']],
  )
  assert.deepEqual(await seen(plain), [])
  assert.match((await ben.does(getMessage, { path })).message.submessages[0]!.content, /"actions"/)
})
