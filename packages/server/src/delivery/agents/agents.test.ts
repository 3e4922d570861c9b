import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { operations } from '@parley/api/operations'
import { toolCall } from '../../callers/tool-calls.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { upload } from '../../testing/files.ts'
import { newWorld, type World } from '../../testing/world.ts'

type TokenParams = Parameters<Actor['does']>[1]

async function newToken(user: Actor, channel_ids: number[] | null, more: TokenParams = {}): Promise<string> {
  const agent = { channel_ids, messages_per_hour: 5 }
  const params = { name: 'Helper', agent, may_mix_channels: true, ...more }
  return (await user.does(operations.createToken, params as never)).token
}

function inject({ app, host }: World, token: string, init: { method?: string; body?: unknown; headers?: object } = {}) {
  const headers = { 'content-type': 'application/json', ...init.headers, host, authorization: `Bearer ${token}` }
  return app.inject({ method: (init.method ?? 'POST') as 'POST', url: '/mcp', headers, payload: init.body as string })
}

/** The official client, which reaches the server of the test without a socket. */
async function connected(world: World, token: string, mode: 'legacy' | 'auto' = 'auto'): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    fetch: async (_url, { method, body, headers } = {}) => {
      const sent = Object.fromEntries(new Headers(headers))
      const response = await inject(world, token, { method: method ?? 'GET', body, headers: sent })
      const text = [202, 405].includes(response.statusCode) ? null : response.body
      return new Response(text, { status: response.statusCode, headers: { 'content-type': 'application/json' } })
    },
  })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return client
}

let keys = 0

type Result = Record<string, unknown> & { refusal?: string }

async function calls(client: Client, name: string, input: object): Promise<Result> {
  const { content, isError } = await client.callTool({ name, arguments: { ...input } })
  const [first] = content as unknown as { text: string }[]
  return isError ? { refusal: first!.text } : (JSON.parse(first!.text) as Result)
}

const writes = (client: Client, name: string, input: object) =>
  calls(client, name, { ...input, idempotency_key: `key-${++keys}` })

async function worldWithTwoChannels() {
  const world = await newWorld()
  const { ann, ben } = world
  const a = await inChannel('a', [ann, ben], { invite_only: true })
  const b = await inChannel('b', [ann, ben], { invite_only: true })
  const inA = await ben.sends({ channel: 'a', topic: 'plan', content: 'the **word** in a' })
  const inB = await ben.sends({ channel: 'b', topic: 'plan', content: 'the word in b' })
  return { world, ann, ben, a, b, inA, inB }
}

for (const mode of ['legacy', 'auto'] as const)
  test(`the official client calls the tools (${mode})`, async () => {
    const { world, ann, ben, a, inA } = await worldWithTwoChannels()
    const client = await connected(world, await newToken(ann, [a]), mode)
    assert.equal(client.getServerVersion()?.name, 'parley')
    const { tools } = await client.listTools()
    assert.equal(tools.length, 13)
    assert.ok(JSON.stringify(tools).length < 16_000) // about 4,000 tokens
    assert.deepEqual((await calls(client, 'list_channels', {})).channels, [
      { channel_id: a, name: 'a', description: '' },
    ])
    const { topics } = (await calls(client, 'list_topics', { channel_id: a })) as { topics: object[] }
    assert.deepEqual(topics[0], { topic: 'plan', newest_message_id: inA })
    const { messages, warning } = await calls(client, 'read_topic', { channel_id: a, topic: 'plan' })
    assert.match(String(warning), /not instructions/)
    assert.deepEqual((messages as unknown as { content: string }[])[0]!.content, 'the **word** in a')
    const sent = await writes(client, 'send_message', { channel_id: a, topic: 'plan', content: 'from an agent' })
    assert.equal(sent.refusal, undefined)
    const { message } = await ben.does(operations.getMessage, { path: { message_id: Number(sent.message_id) } })
    assert.deepEqual([message.client, message.sender_id], ['agent Helper', ann.id])
    assert.deepEqual(await writes(client, 'edit_my_message', { ...sent, content: 'changed' }), { edited: message.id })
    assert.deepEqual(await writes(client, 'react', { message_id: inA, emoji_name: 'tada' }), { reacted_to: inA })
    const resolved = await writes(client, 'set_topic_resolved', { channel_id: a, topic: 'plan', resolved: true })
    assert.equal(resolved.topic, '✔ plan')
    for (const [name, input] of [
      ['search_messages', { query: 'word' }],
      ['my_unread', {}],
      ['read_thread_around', { message_id: inA }],
    ] as const)
      assert.equal((await calls(client, name, input)).refusal, undefined, name)
    assert.equal(((await calls(client, 'who_is', { name: ben.name })).people as unknown[]).length, 1)
    await client.close()
  })

test('a token for one channel neither reads nor writes another, nor direct messages', async () => {
  const { world, ann, ben, a, b, inB } = await worldWithTwoChannels()
  const direct = await ben.sends({ to: [ann], content: 'a direct word' })
  const client = await connected(world, await newToken(ann, [a]))
  const refused = [
    calls(client, 'list_topics', { channel_id: b }),
    calls(client, 'read_topic', { channel_id: b, topic: 'plan' }),
    calls(client, 'search_messages', { channel_id: b, query: 'word' }),
    calls(client, 'my_unread', { channel_id: b }),
    ...[inB, direct].flatMap((message_id) => [
      calls(client, 'read_thread_around', { message_id }),
      writes(client, 'edit_my_message', { message_id, content: 'x' }),
      writes(client, 'react', { message_id, emoji_name: 'tada' }),
    ]),
    writes(client, 'send_message', { channel_id: b, topic: 'plan', content: 'x' }),
    writes(client, 'set_topic_resolved', { channel_id: b, topic: 'plan', resolved: true }),
    writes(client, 'send_message', { channel_id: a, topic: 'plan', content: '[x](/user_uploads/1/ab/c.txt)' }),
  ]
  for (const one of await Promise.all(refused))
    assert.match(String(one.refusal), /Invalid (channel|message)|uploaded files/)
  for (const [name, input] of [
    ['search_messages', { query: 'word' }],
    ['my_unread', {}],
  ] as const)
    assert.doesNotMatch(JSON.stringify(await calls(client, name, input)), /in b|direct word/)
})

test('the token of an agent works nowhere else, and other tokens do not work for agents', async () => {
  const { world, ann, a } = await worldWithTwoChannels()
  const token = await newToken(ann, [a])
  const headers = { host: world.host, authorization: `Bearer ${token}` }
  const file = await upload(world, ann, { content: 'x', filename: 'x.txt' })
  for (const url of ['/api/v1/users/me', '/api/v1/events?queue_id=1&last_event_id=1', file])
    assert.match((await world.app.inject({ url, headers })).body, /SCOPE_REQUIRED/, url)
  const { token: plain } = await ann.does(operations.createToken, { name: 'Plain', scopes: ['read', 'send'] })
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  assert.match((await inject(world, plain, { body: ping })).body, /SCOPE_REQUIRED/)
  assert.equal((await inject(world, `parley_${'x'.repeat(43)}`, { body: ping })).statusCode, 401)
  assert.equal((await inject(world, token, { method: 'GET' })).statusCode, 405)
})

test('a repeated key acts once, and the budget of the hour ends', async () => {
  const { world, ann, ben, a } = await worldWithTwoChannels()
  const client = await connected(world, await newToken(ann, [a]))
  const input = { channel_id: a, topic: 'budget', content: 'hello', idempotency_key: 'same' }
  const [first, second] = [await calls(client, 'send_message', input), await calls(client, 'send_message', input)]
  assert.equal(first.message_id, second.message_id)
  for (let count = 2; count < 5; count++)
    assert.ok(
      (await writes(client, 'send_message', { channel_id: a, topic: 'budget', content: `${count}` })).message_id,
    )
  const refused = await writes(client, 'send_message', { channel_id: a, topic: 'budget', content: 'too much' })
  assert.match(String(refused.refusal), /5 messages an hour/)
  const narrow = [
    { operator: 'channel', operand: a },
    { operator: 'topic', operand: 'budget' },
  ] as never
  const { messages } = await ben.does(operations.getMessages, {
    anchor: 'newest',
    num_before: 10,
    num_after: 0,
    narrow,
  })
  assert.equal(messages.length, 4)
})

test('an agent cannot administer, use channels its user cannot read, or carry private text elsewhere unasked', async () => {
  const { ann, world, a, b } = await worldWithTwoChannels()
  const den = await inChannel('den', [world.ben], { invite_only: true })
  const agent = (channel_ids: number[] | null) => ({ name: 'x', agent: { channel_ids, messages_per_hour: 1 } })
  const refusals = [
    [{ ...agent([a]), scopes: ['read', 'administer'] }, /read and send only/],
    [agent([den]), /Invalid channel ID/],
    [agent([a, b]), /carry text/],
    [agent(null), /carry text/],
  ] as const
  for (const [params, reason] of refusals)
    assert.match((await ann.isRefused(operations.createToken, params as never)).msg, reason)
  await ann.does(operations.createToken, { ...agent([a, b]), scopes: ['read'] } as never)
  const reader = await connected(world, await newToken(ann, [a], { scopes: ['read'] } as never))
  assert.ok(!(await reader.listTools()).tools.some(({ name }) => name === 'send_message'))
})

test('malformed requests are answered with the codes of JSON-RPC', async () => {
  const { world, ann, a } = await worldWithTwoChannels()
  const token = await newToken(ann, [a])
  const codeOf = async (body: string) => (await inject(world, token, { body })).json().error.code
  assert.equal(await codeOf('{'), -32_700)
  assert.equal(await codeOf('['.repeat(5000)), -32_700)
  assert.equal(await codeOf('[]'), -32_600)
  assert.equal(await codeOf('{"id":1,"method":"tools/list","params":[]}'), -32_602)
  assert.equal(await codeOf('{"id":1,"method":"constructor"}'), -32_601)
  assert.equal(await codeOf('{"id":1,"method":"tools/call","params":{"name":"__proto__"}}'), -32_602)
  const client = await connected(world, token)
  assert.match(String((await calls(client, 'read_topic', { channel_id: 'x', topic: 'y' })).refusal), /channel_id/)
})

test('a write is refused if the message has moved out of the channels of the token since the tool looked', async () => {
  const { world, ann, a } = await worldWithTwoChannels()
  const own = await ann.sends({ channel: 'b', topic: 'plan', content: 'mine' })
  const headers = { ...toolCall, host: world.host, authorization: `Bearer ${await newToken(ann, [a])}` }
  // What a tool sends after it found the message in #a.
  for (const [method, url, payload] of [
    ['PATCH', `/messages/${own}`, { content: 'changed' }],
    ['PATCH', `/messages/${own}`, { topic: 'other', propagate_mode: 'change_all' }],
    ['PATCH', `/messages/${own}`, { delta: 'more' }],
    ['POST', `/messages/${own}/reactions`, { emoji_name: 'tada' }],
  ] as const) {
    const answer = await world.app.inject({ method, url: `/api/v1${url}`, headers, payload })
    assert.match(answer.body, /Invalid message/, url)
  }
})

test('an agent reads the text of a file in parts, only of a file that a message in its channels claims', async () => {
  const { world, ann, ben, a, b } = await worldWithTwoChannels()
  const text = 'Grüße '.repeat(3000)
  const file = await upload(world, ben, { content: text, filename: 'notes.txt' })
  const image = await upload(world, ben, { content: Buffer.from([0, 255, 1]), filename: 'x.bin' })
  const [inA, inB] = [
    await ben.sends({ channel: 'a', content: `[notes](${file}) [x](${image})` }),
    await ben.sends({ channel: 'b', content: `[notes](${file})` }),
  ]
  const client = await connected(world, await newToken(ann, [a]))
  const read = (input: object) => calls(client, 'get_file_text', input)
  let found = ''
  let offset: unknown = 0
  while (offset !== undefined) {
    const part = await read({ message_id: inA, file, offset })
    found += String(part.text)
    offset = part.next_offset
  }
  assert.equal(found, text)
  assert.match(String((await read({ message_id: inA })).refusal), /several files/)
  assert.match(String((await read({ message_id: inA, file: image })).refusal), /not text/)
  assert.match(String((await read({ message_id: inA, file: '/user_uploads/x' })).refusal), /no such file/)
  assert.match(String((await read({ message_id: inB })).refusal), /Invalid message/)
  assert.ok(b)
})

test('an agent shows that it works, streams its answer, and reads that someone pressed Stop', async () => {
  const { world, ann, ben, a } = await worldWithTwoChannels()
  const client = await connected(world, await newToken(ann, [a]))
  await ben.registers()
  await calls(client, 'read_topic', { channel_id: a, topic: 'plan', working_on: 'reading the plan' })
  const [typing] = await ben.receives('typing')
  assert.deepEqual([typing!.activity, typing!.note], ['working', 'reading the plan'])
  const input = { channel_id: a, topic: 'plan', content: 'It says', streaming: true }
  const { message_id, length } = await writes(client, 'send_message', input)
  const part = { message_id, delta: ' yes', offset: length, done: true }
  assert.deepEqual(await writes(client, 'edit_my_message', part), { edited: message_id, length: 11 })
  await ben.does(operations.stopWork, { path: { user_id: ann.id }, stream_id: a, topic: 'plan' })
  assert.match(String((await calls(client, 'list_channels', {})).refusal), /"Ben" asks you to stop in the topic "plan"/)
  assert.equal((await calls(client, 'list_channels', {})).refusal, undefined)
})

test('an agent asks by buttons or a form, and reads the answers later', async () => {
  const { world, ann, ben, a } = await worldWithTwoChannels()
  const client = await connected(world, await newToken(ann, [a]))
  const place = { channel_id: a, topic: 'plan', question: 'Deploy now?' }
  const { message_id } = await writes(client, 'ask_user', { ...place, options: ['Yes', 'No'] })
  const path = { message_id: Number(message_id) }
  await ben.does(operations.pressAction, { path, action_id: 'No' })
  const field = { name: 'when', label: 'When', type: 'date' }
  const form = await writes(client, 'ask_user', { ...place, fields: [field] })
  const answers = { when: '2026-11-20' }
  await ben.does(operations.pressAction, {
    path: { message_id: Number(form.message_id) },
    action_id: 'answer',
    answers,
  })
  const user = { id: ben.id, name: ben.name }
  assert.deepEqual((await writes(client, 'ask_user', { message_id })).answers, [{ user, answer: 'No' }])
  assert.deepEqual((await writes(client, 'ask_user', form)).answers, [{ user, answer: answers }])
  const other = await ben.sends({ channel: 'a' })
  assert.match(String((await writes(client, 'ask_user', { message_id: other })).refusal), /not a question of yours/)
  assert.match(String((await writes(client, 'ask_user', place)).refusal), /options or fields/)
})
