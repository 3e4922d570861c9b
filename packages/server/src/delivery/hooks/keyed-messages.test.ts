import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '@parley/api/operations'
import { sql } from 'kysely'
import { one } from '../../platform/db/query.ts'
import { inChannel } from '../../testing/channels.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { showHookCount } from './jobs.ts'

async function newHook(world: World, integration: string, options: Record<string, unknown> = {}) {
  const { ann, ben } = world
  const channel_id = await inChannel('verona', [ann, ben])
  const { id, url } = await ann.does(operations.createHook, { integration, name: 'Robot', channel_id, ...options })
  return { path: { hook_id: id }, url: new URL(url).pathname }
}

async function post({ app, host }: World, url: string, body: object): Promise<void> {
  const headers = { host, 'content-type': 'application/json' }
  const { statusCode } = await app.inject({ method: 'POST', url, payload: JSON.stringify(body), headers })
  assert.equal(statusCode, 200)
}

async function sentTo({ ben }: World) {
  const page = { anchor: 'newest' as const, num_before: 100, num_after: 0, apply_markdown: false }
  const { messages } = await ben.does(operations.getMessages, page)
  return messages.filter(({ sender_full_name }) => sender_full_name === 'Robot')
}

async function outcomesOf({ ann }: World, path: { hook_id: number }): Promise<string[]> {
  const { requests } = await ann.does(operations.getHookRequests, { path, limit: 100 })
  return requests.map(({ outcome }) => outcome).reverse()
}

function alerts(groupKey: string, status: 'firing' | 'resolved', alertname = 'DiskFull') {
  const alert = { status, labels: { alertname }, annotations: { summary: `${groupKey} is full` } }
  return { groupKey, status, groupLabels: { alertname }, alerts: [alert] }
}

test('an alert that ends edits its message, and resolves the topic when nothing else fires there', async () => {
  const world = await newWorld()
  const { url, path } = await newHook(world, 'alertmanager')
  await post(world, url, alerts('a', 'firing'))
  await post(world, url, alerts('b', 'firing'))
  await post(world, url, alerts('a', 'resolved'))
  const [first, second] = await sentTo(world)
  assert.match(first!.content, /Resolved.*a is full/)
  assert.match(second!.content, /Firing.*b is full/)
  assert.equal(first!.subject, 'DiskFull')
  await post(world, url, alerts('b', 'resolved'))
  assert.deepEqual(
    (await sentTo(world)).map(({ subject }) => subject),
    ['✔ DiskFull', '✔ DiskFull'],
  )
  assert.deepEqual(await outcomesOf(world, path), ['sent', 'sent', 'updated', 'updated'])
})

test('a message is edited however old it is, and where people may not edit', async () => {
  const world = await newWorld()
  const { url } = await newHook(world, 'alertmanager')
  await world.olga.does(operations.updateRealm, { allow_message_editing: false })
  await post(world, url, alerts('a', 'firing'))
  await world.ben.registers()
  await post(world, url, alerts('a', 'resolved'))
  const [edit] = await world.ben.receives('update_message')
  assert.match(edit!.content!, /Resolved/)
})

test('an alert that fires again after its end gets a new message', async () => {
  const world = await newWorld()
  const { url } = await newHook(world, 'alertmanager')
  for (const status of ['firing', 'resolved', 'firing'] as const) await post(world, url, alerts('a', status))
  const [before, now] = await sentTo(world)
  assert.match(before!.content, /Resolved/)
  assert.match(now!.content, /Firing/)
})

test('a message that was deleted is sent again instead of edited', async () => {
  const world = await newWorld()
  const { url } = await newHook(world, 'alertmanager')
  await post(world, url, alerts('a', 'firing'))
  const [first] = await sentTo(world)
  await world.olga.does(operations.deleteMessage, { path: { message_id: first!.id } })
  await post(world, url, alerts('a', 'firing'))
  assert.equal((await sentTo(world)).length, 1)
})

test('the topic that the owner of a hook chose is not resolved', async () => {
  const world = await newWorld()
  const { url } = await newHook(world, 'alertmanager', { topic: 'alerts' })
  await post(world, url, alerts('a', 'firing'))
  await post(world, url, alerts('a', 'resolved'))
  assert.deepEqual(
    (await sentTo(world)).map(({ subject }) => subject),
    ['alerts'],
  )
})

test('a hook in a private channel keeps its messages up to date, though its bot cannot read there', async () => {
  const world = await newWorld()
  const channel_id = await inChannel('den', [world.ann, world.ben], { invite_only: true })
  const { url } = await newHook(world, 'alertmanager', { channel_id })
  await post(world, url, alerts('a', 'firing'))
  await post(world, url, alerts('a', 'resolved'))
  const found = await sentTo(world)
  assert.equal(found.length, 1)
  assert.match(found[0]!.content, /Resolved/)
})

test('two requests about the same at once make one message', async () => {
  const world = await newWorld()
  const { url } = await newHook(world, 'alertmanager')
  await Promise.all(Array.from({ length: 5 }, () => post(world, url, alerts('a', 'firing'))))
  assert.equal((await sentTo(world)).length, 1)
})

test('requests with the same dedup_key count up in one message', async () => {
  const world = await newWorld()
  const { ctx, realmId } = world
  const { url, path } = await newHook(world, 'json', { text_template: 'Lost {{ what }}', dedup_key: '{{ what }}' })
  for (const what of ['a', 'a', 'b', 'a', 'a', 'a']) await post(world, url, { what })
  assert.deepEqual(
    (await sentTo(world)).map(({ content }) => content),
    ['Lost a\n\n**× 3**', 'Lost b'],
  )
  const jobs = await ctx.pool.query(`select payload from jobs.jobs where task = 'show_hook_count'`)
  assert.equal(jobs.rows.length, 1)
  const stored = await one<{ key_hash: Buffer }>(ctx.db)`
    select key_hash from hook_messages where realm_id = ${realmId} and count = 5`
  const key_hash = stored.key_hash.toString('hex')
  await showHookCount(ctx, { realm_id: realmId, hook_id: path.hook_id, key_hash })
  assert.equal((await sentTo(world))[0]!.content, 'Lost a\n\n**× 5**')
  assert.deepEqual(await outcomesOf(world, path), ['sent', 'counted', 'sent', 'counted', 'counted', 'counted'])
})

test('a storm becomes one message that counts, and the log keeps all of it', async () => {
  const world = await newWorld()
  const { ctx, realmId } = world
  const { url, path } = await newHook(world, 'json')
  await sql`update hooks set minute_count = 28, minute_at = now() where realm_id = ${realmId}`.execute(ctx.db)
  for (let number = 1; number <= 5; number++) await post(world, url, { number })
  const found = await sentTo(world)
  assert.equal(found.length, 3)
  assert.match(found[2]!.content, /^\*\*3 more\*\* since <time:/)
  assert.deepEqual(await outcomesOf(world, path), ['sent', 'sent', 'collapsed', 'collapsed', 'collapsed'])
  await sql`update hooks set minute_at = now() - interval '61 s' where realm_id = ${realmId}`.execute(ctx.db)
  await post(world, url, { number: 6 })
  assert.equal((await sentTo(world)).length, 3)
  await sql`update hooks set minute_at = now() - interval '2 min' where realm_id = ${realmId}`.execute(ctx.db)
  await post(world, url, { number: 7 })
  assert.equal((await sentTo(world)).length, 4)
})

test('a test of a hook neither counts nor edits', async () => {
  const world = await newWorld()
  const { url, path } = await newHook(world, 'alertmanager')
  await post(world, url, { ...alerts('{}:{alertname="DiskFull"}', 'firing') })
  await world.ann.does(operations.testHook, { path })
  assert.equal((await sentTo(world)).length, 2)
})

test('templates of keys are checked like others', async () => {
  const world = await newWorld()
  const { path } = await newHook(world, 'json')
  for (const name of ['update_key', 'dedup_key'])
    assert.match((await world.ann.isRefused(operations.updateHook, { path, [name]: '{{' })).msg, /Invalid template/)
})
