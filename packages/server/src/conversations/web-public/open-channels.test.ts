import assert from 'node:assert/strict'
import { test } from 'node:test'
import { archiveChannel, updateChannel } from '@parley/api/conversations/channels'
import { deleteMessage } from '@parley/api/conversations/deletion'
import { editMessage } from '@parley/api/conversations/editing'
import { getOpenChannels, getOpenMessages } from '@parley/api/conversations/open-channels'
import { subscribe } from '@parley/api/conversations/subscriptions'
import { updateRealm } from '@parley/api/organization/realm'
import { buildApp } from '../../http/app.ts'
import { inChannel } from '../../testing/channels.ts'
import { upload } from '../../testing/files.ts'
import { newWorld, type World } from '../../testing/world.ts'

const reads = ({ app, host }: Pick<World, 'app' | 'host'>, url: string) =>
  app.inject({ url, headers: { host, accept: 'text/html' } })

const linksIn = (body: string) => [...body.matchAll(/href="(\/open\/[^"]+)"/g)].map(([, path]) => path!)

/** An organization that lets everyone read the channel "plaza". */
async function openWorld() {
  const world = await newWorld()
  const { olga, ann } = world
  const channel = await inChannel('plaza', [olga, ann])
  await olga.does(updateRealm, { enable_spectator_access: true })
  await olga.does(updateChannel, { path: { stream_id: channel }, is_web_public: true })
  return { ...world, channel }
}

/** The URL of the page of the topic. */
async function topicUrl(world: World, channel: number, topic: string): Promise<string> {
  const { body } = await reads(world, `/open/${channel}`)
  return linksIn(body).find((path) => path.endsWith(`-${topic}`))!
}

test('a search engine gets from the list of channels to the messages, without an account or scripts', async () => {
  const world = await openWorld()
  const { ann, channel, host } = world
  await ann.sends({ channel: 'plaza', topic: 'Opening hours', content: 'From **nine** :wave:' })
  const list = await reads(world, '/open')
  assert.match(list.body, new RegExp(`href="/open/${channel}-plaza"`))
  const topics = await reads(world, `/open/${channel}-plaza`)
  const url = linksIn(topics.body).find((path) => path.endsWith('opening-hours'))!
  const { body, headers, statusCode } = await reads(world, url)
  assert.equal(statusCode, 200)
  assert.match(body, /<b>Ann<\/b>.*<p>From <strong>nine<\/strong> <span [^>]*>👋<\/span><\/p>/s)
  assert.match(body, new RegExp(`<link rel="canonical" href="https?://${host}[^"]*${url}">`))
  assert.ok(!body.includes('<script'))
  assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'self'/)
  assert.ok(!String(headers['content-security-policy']).includes('script-src'))
})

test('nothing is open unless an owner allows it, whatever the channels say', async () => {
  const world = await openWorld()
  const { ann, adam, olga, channel } = world
  await ann.sends({ channel: 'plaza', topic: 'hi' })
  const url = await topicUrl(world, channel, 'hi')
  assert.equal((await adam.isRefused(updateRealm, { enable_spectator_access: false })).code, 'UNAUTHORIZED_PRINCIPAL')
  await olga.does(updateRealm, { enable_spectator_access: false })
  for (const path of ['/open', `/open/${channel}-plaza`, url]) assert.equal((await reads(world, path)).statusCode, 404)
  assert.match((await reads(world, '/robots.txt')).body, /^User-agent: \*\nDisallow: \/\n$/)
})

test('public, private and archived channels answer like missing ones', async () => {
  const world = await openWorld()
  const { ann, olga, channel } = world
  const others = [await inChannel('square', [ann]), await inChannel('secret', [ann], { invite_only: true })]
  for (const name of ['square', 'secret']) await ann.sends({ channel: name, topic: 'x', content: 'not for everyone' })
  const missing = await reads(world, '/open/987654321')
  for (const id of others) {
    const answer = await reads(world, `/open/${id}`)
    assert.deepEqual([answer.statusCode, answer.body], [404, missing.body])
  }
  const list = await reads(world, '/open')
  assert.ok(!/square|secret/.test(list.body))
  await olga.does(archiveChannel, { path: { stream_id: channel } })
  assert.equal((await reads(world, `/open/${channel}`)).statusCode, 404)
})

test('a topic of a closed channel is not shown under the URL of an open one', async () => {
  const world = await openWorld()
  const { ann, channel, ctx, realmId } = world
  await inChannel('secret', [ann], { invite_only: true })
  await ann.sends({ channel: 'secret', topic: 'plans', content: 'not for everyone' })
  const topics = ctx.db.selectFrom('topics').select('id').where('realm_id', '=', realmId).where('name', '=', 'plans')
  const { id } = await topics.executeTakeFirstOrThrow()
  assert.equal((await reads(world, `/open/${channel}/${id}`)).statusCode, 404)
})

test('a channel that is no longer open shows nothing more, at once', async () => {
  const world = await openWorld()
  const { ann, olga, channel } = world
  await ann.sends({ channel: 'plaza', topic: 'hi', content: 'for now' })
  const url = await topicUrl(world, channel, 'hi')
  await olga.does(updateChannel, { path: { stream_id: channel }, is_web_public: false })
  for (const path of [`/open/${channel}`, url]) assert.equal((await reads(world, path)).statusCode, 404)
})

test('deleted messages, and messages that moved to a closed channel, are gone', async () => {
  const world = await openWorld()
  const { ann, olga, channel } = world
  const square = await inChannel('square', [olga, ann])
  const topic = 'hi'
  const [kept, moved, deleted] = [
    await ann.sends({ channel: 'plaza', topic, content: 'stays here' }),
    await ann.sends({ channel: 'plaza', topic, content: 'moves away' }),
    await ann.sends({ channel: 'plaza', topic, content: 'is deleted' }),
  ]
  const url = await topicUrl(world, channel, topic)
  await olga.does(deleteMessage, { path: { message_id: deleted } })
  await olga.does(editMessage, { path: { message_id: moved }, stream_id: square, propagate_mode: 'change_one' })
  const { body } = await reads(world, url)
  assert.ok(body.includes(`message-${kept}`))
  assert.ok(!/moves away|is deleted/.test(body))
})

test('protected history is not opened by one change', async () => {
  const world = await openWorld()
  const { olga } = world
  const id = await inChannel('board', [olga], { invite_only: true })
  const path = { stream_id: id }
  const change = { path, is_private: false, is_web_public: true, history_public_to_subscribers: true }
  assert.match((await olga.isRefused(updateChannel, change)).msg, /protected history/)
  await olga.does(updateChannel, { path, is_private: false })
  await olga.does(updateChannel, { path, is_web_public: true })
  assert.equal((await reads(world, `/open/${id}`)).statusCode, 200)
})

test('pages contain no emails and no avatars, which can contain the hash of one', async () => {
  const world = await openWorld()
  const { ann, ben, channel } = world
  await ann.sends({ channel: 'plaza', topic: 'hi', content: `Hello @**Ben|${ben.id}**` })
  const { body } = await reads(world, await topicUrl(world, channel, 'hi'))
  assert.match(body, /@Ben/)
  for (const { credentials } of [ann, ben]) assert.ok(!body.includes(credentials.email))
  assert.ok(!/gravatar|user_avatars|avatar/.test(body))
})

test('files are readable without an account only while a message in an open channel links to them', async () => {
  const world = await openWorld()
  const { ann, olga, channel } = world
  const file = (name: string) => upload(world, ann, { content: name, filename: `${name}.txt`, type: 'text/plain' })
  const [open, closed] = [await file('open'), await file('closed')]
  await inChannel('square', [ann])
  await ann.sends({ channel: 'plaza', content: `[x](${open})` })
  await ann.sends({ channel: 'square', content: `[x](${closed})` })
  const missing = await reads(world, closed.replace('closed', 'missing'))
  assert.equal((await reads(world, open)).body, 'open')
  assert.deepEqual([(await reads(world, closed)).statusCode, missing.statusCode], [401, 401])
  await olga.does(updateChannel, { path: { stream_id: channel }, is_web_public: false })
  assert.equal((await reads(world, open)).statusCode, 401)
})

test('the API still needs an account', async () => {
  const world = await openWorld()
  for (const url of ['/api/v1/messages?anchor=newest&num_before=1&num_after=0', '/api/v1/streams', '/api/v1/users'])
    assert.equal((await reads(world, url)).statusCode, 401)
})

test('a long topic has pages, each with a canonical URL of its own', async () => {
  const world = await openWorld()
  const { ann, channel } = world
  for (let n = 1; n <= 101; n++) await ann.sends({ channel: 'plaza', topic: 'long', content: `number ${n}.` })
  const url = await topicUrl(world, channel, 'long')
  const first = await reads(world, url)
  assert.ok(first.body.includes('number 100.') && !first.body.includes('number 101.'))
  const next = /href="([^"]+)" rel="next"/.exec(first.body)![1]!
  const second = await reads(world, next)
  assert.ok(second.body.includes('number 101.') && !second.body.includes('number 100.'))
  assert.ok(second.body.includes(`${next}">`))
})

test('readers without an account have a rate limit of their own', async (t) => {
  const world = await openWorld()
  const app = buildApp({ ...world.ctx, config: { ...world.ctx.config, rateLimit: 200 } })
  t.after(() => app.close())
  const asks = async () => (await reads({ app, host: world.host }, '/open')).statusCode
  let answered = 0
  while (answered < 1000 && (await asks()) === 200) answered++
  // On a busy machine, some of the limit is back before it is used up.
  assert.ok(answered >= 120 && answered < 1000, `${answered} answers`)
  assert.equal((await app.inject({ url: '/api/v1/users/me', headers: world.ann.headers })).statusCode, 200)
})

test('the sign-in page and server_settings lead to open channels only if there is one', async () => {
  const world = await openWorld()
  const { olga, channel } = world
  const settings = async () => (await reads(world, '/api/v1/server_settings')).json().realm_web_public_access_enabled
  assert.match((await reads(world, '/login')).body, /href="\/open"/)
  assert.equal(await settings(), true)
  await olga.does(updateChannel, { path: { stream_id: channel }, is_web_public: false })
  assert.ok(!(await reads(world, '/login')).body.includes('href="/open"'))
  assert.equal(await settings(), false)
})

test('only who may create web-public channels opens one', async () => {
  const { adam, olga } = await openWorld()
  const id = await inChannel('square', [adam, olga])
  await adam.isRefused(updateChannel, { path: { stream_id: id }, is_web_public: true })
  await adam.isRefused(subscribe, { subscriptions: [{ name: 'new' }], is_web_public: true })
  await olga.does(subscribe, { subscriptions: [{ name: 'new' }], is_web_public: true })
})

/** A call of the API without credentials. */
async function asks({ app, host }: Pick<World, 'app' | 'host'>, path: string, query: Record<string, string> = {}) {
  const { json } = await app.inject({ url: `/api/v1${path}`, query, headers: { host } })
  return json()
}

test('the client reads open channels, topics and messages without an account, in both directions', async () => {
  const world = await openWorld()
  const { ann, channel } = world
  const ids: number[] = []
  for (const content of ['one', 'two', 'three', 'four'])
    ids.push(await ann.sends({ channel: 'plaza', topic: 'Tea', content }))
  await ann.sends({ channel: 'plaza', topic: 'coffee' })

  const { channels } = await asks(world, getOpenChannels.path)
  const { topics } = await asks(world, `/open/${channel}/topics`)
  const read = (query: Record<string, string>) => asks(world, `/open/${channel}/messages`, query)
  const around = await read({ topic: 'tea', anchor: String(ids[1]), num_before: '1', num_after: '1' })
  const newest = await read({ topic: 'tea', num_before: '2' })
  const oldest = await read({ topic: 'tea', anchor: 'oldest', num_after: '100' })
  const all = await read({ num_before: '100' })

  assert.deepEqual(channels, [{ stream_id: channel, name: 'plaza', description: '' }])
  assert.deepEqual(
    topics.map(({ name }: { name: string }) => name),
    ['coffee', 'Tea', 'channel events'],
  )
  const idsOf = ({ messages }: { messages: { id: number }[] }) => messages.map(({ id }) => id)
  assert.deepEqual(idsOf(around), ids.slice(0, 3))
  assert.deepEqual([around.found_oldest, around.found_newest], [true, false])
  assert.deepEqual(idsOf(newest), ids.slice(2))
  assert.deepEqual([newest.found_oldest, newest.found_newest], [false, true])
  assert.deepEqual(idsOf(oldest), ids)
  assert.equal(all.messages.length, all.messages.filter(({ content }: { content: string }) => content).length)
  assert.equal(around.messages[0].sender_full_name, 'Ann')
})

test('the API names neither emails nor images of authors', async () => {
  const world = await openWorld()
  await world.ann.sends({ channel: 'plaza', topic: 'hi' })
  const { messages } = await asks(world, `/open/${world.channel}/messages`, { topic: 'hi', num_before: '1' })
  const named = Object.keys(getOpenMessages.response.messages.items.properties)
  assert.deepEqual(Object.keys(messages[0]), named)
  assert.ok(!JSON.stringify(messages).includes('@'))
})

test('the API answers for a channel that is not open like for one that does not exist', async () => {
  const world = await openWorld()
  const closed = await inChannel('closed', [world.ann])
  await world.ann.sends({ channel: 'closed', topic: 'secret' })
  const missing = await asks(world, '/open/999999/messages')
  for (const path of [`/open/${closed}/messages`, `/open/${closed}/topics`, '/open/999999/topics'])
    assert.deepEqual(await asks(world, path), missing)
  assert.equal(missing.code, 'NOT_FOUND')
  const topicElsewhere = await asks(world, `/open/${world.channel}/messages`, { topic: 'secret', num_before: '9' })
  assert.deepEqual(topicElsewhere.messages, [])

  await world.olga.does(updateRealm, { enable_spectator_access: false })
  for (const path of ['/open', `/open/${world.channel}/messages`, `/open/${world.channel}/topics`])
    assert.equal((await asks(world, path)).code, 'NOT_FOUND')
})
