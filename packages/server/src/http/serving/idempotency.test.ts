import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import * as messages from '@parley/api/conversations/messages'
import * as reactions from '@parley/api/conversations/reactions'
import { idempotencyKeys } from '@parley/api/limits'
import { operationList } from '@parley/api/operations'
import { takesIdempotencyKey } from '@parley/api/scopes'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import pg from 'pg'
import { closeContext, createContext } from '../../boot/create-context.ts'
import type { Context } from '../../context.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { callable, populate, requestFor, sampleOf } from '../../testing/samples.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { buildApp } from '../app.ts'
import { deleteOldRequests } from './idempotency.ts'

let world: World
let ann: Actor
let other: { ctx: Context; app: FastifyInstance }

before(async () => {
  world = await newWorld()
  ann = world.ann
  await inChannel('verona', [ann, world.ben])
  await ann.sends({ channel: 'verona' }) // the first message of a channel takes another way
  const ctx = await createContext(world.ctx.config, world.ctx.pool.options.connectionString!)
  other = { ctx, app: buildApp(ctx) }
})

after(async () => {
  await other.app.close()
  await closeContext(other.ctx)
})

interface Write {
  by?: Actor
  app?: FastifyInstance
  method?: 'POST' | 'PATCH' | 'DELETE'
  url?: string
  params?: Record<string, string>
}

async function write(key: string, { by = ann, app = world.app, method = 'POST', url = '/messages', params }: Write) {
  const response = await app.inject({
    method,
    url: `/api/v1${url}`,
    headers: { ...by.headers, 'idempotency-key': key, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(params).toString(),
  })
  return { status: response.statusCode, text: response.body, body: response.json() as { id: number; code?: string } }
}

function message(content: string = randomUUID()): Write & { params: Record<string, string> } {
  return { params: { type: 'stream', to: 'verona', topic: 'keys', content } }
}

async function countOf({ params }: { params: Record<string, string> }): Promise<number> {
  const { ctx, realmId } = world
  const rows = await ctx.db
    .selectFrom('messages')
    .select('id')
    .where('realm_id', '=', realmId)
    .where('content', '=', params.content!)
    .execute()
  return rows.length
}

/** Changes the stored request, as if its process had died at some moment. */
async function change(key: string, values: ReturnType<typeof sql>): Promise<void> {
  await sql`update idempotent_requests set ${values} where key = ${key}`.execute(world.ctx.db)
}
const long = sql`created_at = now() - interval '1 minute'`

/** Blocks the commits of the realm until `unblock` is called. */
async function blockCommits() {
  const client = new pg.Client({ connectionString: world.ownerUrl })
  await client.connect()
  await client.query('begin')
  await client.query('select 1 from realm_counters where realm_id = $1 for update', [world.realmId])
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const isBlocking = sql`select 1 from pg_stat_activity where ${rows[0]!.pid}::integer = any(pg_blocking_pids(pid))`
  return {
    unblock: () => client.end(),
    /** A commit has begun and waits. */
    blocked: () => until(async () => (await isBlocking.execute(world.ctx.db)).rows.length > 0),
  }
}

const claimed = (key: string) =>
  until(async () => {
    const rows = await world.ctx.db.selectFrom('idempotent_requests').select('id').where('key', '=', key).execute()
    return rows.length > 0
  })

test('a repeated send with the same key returns the same response and sends nothing', async () => {
  const key = randomUUID()
  const request = message()
  const first = await write(key, request)
  assert.equal(first.status, 200)
  assert.deepEqual(await write(key, request), first)
  assert.equal(await countOf(request), 1)
})

test('every write is recorded with its change, and returns the stored response when it is repeated with its key', async () => {
  const populated = await populate(await newWorld())
  for (const operation of callable().filter(takesIdempotencyKey)) {
    if (operation.fileLimit !== undefined && !operation.fileIsOptional) continue
    const sample = await sampleOf(operation, populated)
    const { headers, ...request } = requestFor(sample, 'form')
    const keyed = { ...request, headers: { ...headers, ...sample.by.headers, 'idempotency-key': operation.name } }
    const first = await populated.app.inject(keyed)
    assert.equal(first.statusCode, 200, `${operation.name}: ${first.body}`)
    const { is_active, key } = await credentialsNow(populated, sample.by)
    if (!is_active || key !== sample.by.credentials.key) continue
    const second = await populated.app.inject(keyed)
    assert.equal(second.body, first.body, operation.name)
  }
  const { realmId, ctx } = populated
  const unapplied = ctx.db.selectFrom('idempotent_requests').select('key').orderBy('key')
  assert.deepEqual(
    await unapplied.where('realm_id', '=', realmId).where('is_applied', '=', false).execute(),
    // They change nothing, or send an example.
    ['getBotSecrets', 'getWebhookPayload', 'previewHook', 'testHook'].map((key) => ({ key })),
  )
})

async function credentialsNow({ ctx }: World, { id }: Actor) {
  const row = await ctx.db
    .selectFrom('users')
    .select(['is_active', 'api_key_sealed'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { is_active: row.is_active, key: ctx.vault.open(row.api_key_sealed) }
}

test('of parallel requests with one key, one acts and the others get its response or a conflict', async () => {
  const key = randomUUID()
  const request = message()
  const apps = [world.app, other.app, world.app, other.app]
  const responses = await Promise.all(apps.map((app) => write(key, { ...request, app })))
  const done = responses.filter(({ status }) => status === 200)
  assert.ok(done.length >= 1)
  assert.equal(new Set(done.map(({ text }) => text)).size, 1)
  for (const { status, body } of responses.filter((response) => response.status !== 200))
    assert.deepEqual([status, body.code], [409, 'IDEMPOTENCY_KEY_IN_USE'])
  assert.equal(await countOf(request), 1)
})

test('the other processes of a cluster return the stored response', async () => {
  const key = randomUUID()
  const request = message()
  const first = await write(key, request)
  assert.deepEqual(await write(key, { ...request, app: other.app }), first)
  assert.equal(await countOf(request), 1)
})

test('a key that was used for another request is refused', async () => {
  const key = randomUUID()
  const { body } = await write(key, message())
  const differences: Write[] = [
    message(),
    { url: `/messages/${body.id}`, method: 'DELETE' },
    { url: `/messages/${body.id}/reactions`, params: { emoji_name: 'tada' } },
  ]
  for (const request of differences) {
    const refused = await write(key, request)
    assert.deepEqual([refused.status, refused.body.code], [422, 'IDEMPOTENCY_KEY_REUSED'])
  }
})

test('parameters in another order are the same request', async () => {
  const key = randomUUID()
  const request = message()
  const reversed = Object.fromEntries(Object.entries(request.params).reverse())
  assert.deepEqual(await write(key, request), await write(key, { params: reversed }))
})

test('users do not share keys', async () => {
  const key = randomUUID()
  const request = message()
  const [first, second] = [await write(key, request), await write(key, { ...request, by: world.ben })]
  assert.deepEqual([first.status, second.status], [200, 200])
  assert.notEqual(first.body.id, second.body.id)
})

test('a refused request may be corrected or repeated with the same key', async () => {
  const key = randomUUID()
  const message_id = await ann.sends({ channel: 'verona' })
  const react = { url: `/messages/${message_id}/reactions`, params: { emoji_name: 'tada' } }
  await ann.does(reactions.addReaction, { path: { message_id }, emoji_name: 'tada' })
  assert.equal((await write(key, react)).body.code, 'REACTION_ALREADY_EXISTS')
  await ann.does(reactions.removeReaction, { path: { message_id }, emoji_name: 'tada' })
  assert.equal((await write(key, react)).status, 200)
  assert.equal((await write(key, react)).status, 200)
})

test('invalid keys, and keys of file uploads, are refused', async () => {
  for (const key of ['', 'with space', 'ü', 'x'.repeat(idempotencyKeys.maxLength + 1)]) {
    const { status } = await write(key, message())
    assert.equal(status, 400)
  }
  const upload = await world.app.inject({
    method: 'POST',
    url: '/api/v1/user_uploads',
    headers: { ...ann.headers, 'idempotency-key': 'k', 'content-type': 'multipart/form-data; boundary=b' },
    payload: '--b\r\ncontent-disposition: form-data; name="f"; filename="a.txt"\r\n\r\nhi\r\n--b--\r\n',
  })
  assert.match(upload.json().msg, /File uploads do not support/)
})

test('a send whose process died after the commit returns its message', async () => {
  const key = randomUUID()
  const request = message()
  const first = await write(key, request)
  await change(key, sql`status = null, body_sealed = null`)
  assert.equal((await write(key, { ...request, app: other.app })).body.id, first.body.id)
  assert.equal(await countOf(request), 1)
})

test('another write whose process died after the commit is reported as unknown and not applied again', async () => {
  const key = randomUUID()
  const message_id = await ann.sends({ channel: 'verona' })
  const react = { url: `/messages/${message_id}/reactions`, params: { emoji_name: 'tada' } }
  await write(key, react)
  await ann.does(reactions.removeReaction, { path: { message_id }, emoji_name: 'tada' })
  await change(key, sql`status = null, body_sealed = null`)
  assert.equal((await write(key, react)).body.code, 'IDEMPOTENCY_KEY_IN_USE')
  await change(key, long)
  assert.deepEqual(await write(key, react).then(({ status, body }) => [status, body.code]), [409, 'OUTCOME_UNKNOWN'])
})

test('a repeated request takes over from a process that died before it changed anything', async () => {
  const key = randomUUID()
  const request = message()
  const first = await write(key, request)
  await change(key, sql`status = null, body_sealed = null, message_id = null, is_applied = false`)
  assert.equal((await write(key, request)).body.code, 'IDEMPOTENCY_KEY_IN_USE')
  await change(key, long)
  assert.notEqual((await write(key, request)).body.id, first.body.id)
})

test('of a send and its repetition in the middle of the commit, one is stored', async () => {
  const key = randomUUID()
  const request = message()
  const { unblock, blocked } = await blockCommits()
  const first = write(key, request)
  await blocked()
  await change(key, long)
  const second = write(key, { ...request, app: other.app })
  await unblock()
  // Either the repetition finds the first one committed, or it took over, and the first one was given up.
  const { id } = (await second).body
  assert.ok([id, undefined].includes((await first).body.id))
  assert.equal((await write(key, request)).body.id, id)
  assert.equal(await countOf(request), 1)
})

for (const [name, requestOf] of [
  ['send', async () => message()],
  [
    'deletion',
    async () => ({
      method: 'DELETE' as const,
      url: `/messages/${await ann.sends({ channel: 'verona' })}`,
      params: { content: 'none' },
    }),
  ],
] as const) {
  test(`a slow ${name} that lost its claim changes nothing`, async () => {
    const key = randomUUID()
    const request = await requestOf()
    const { unblock } = await blockCommits()
    const slow = write(key, request)
    await claimed(key)
    await sql`delete from idempotent_requests where key = ${key}`.execute(world.ctx.db)
    await unblock()
    assert.deepEqual(await slow.then(({ status, body }) => [status, body.code]), [409, 'IDEMPOTENCY_KEY_IN_USE'])
    assert.equal(await countOf(request), 0)
    assert.equal((await write(key, request)).status, 200)
  })
}

test('a key expires after 24 hours, before and after the job deletes it', async () => {
  const [early, late] = [randomUUID(), randomUUID()]
  const request = message()
  for (const key of [early, late]) {
    await write(key, request)
    await change(key, sql`created_at = now() - interval '25 hours'`)
  }
  assert.equal((await write(early, request)).status, 200)
  await deleteOldRequests(world.ctx.db)
  const left = await world.ctx.db
    .selectFrom('idempotent_requests')
    .select('key')
    .where('key', 'in', [early, late])
    .execute()
  assert.deepEqual(left, [{ key: early }])
  assert.equal(await countOf(request), 3)
})

test('the job deletes the oldest keys of a user who has too many', async () => {
  const { ctx, realmId, gus } = world
  await sql`
    insert into idempotent_requests (realm_id, user_id, key, fingerprint)
    select ${realmId}, ${gus.id}, n::text, '' from generate_series(1, ${idempotencyKeys.perUser + 2}::integer) n`.execute(
    ctx.db,
  )
  await deleteOldRequests(ctx.db)
  const rows = await ctx.db.selectFrom('idempotent_requests').select('key').where('user_id', '=', gus.id).execute()
  assert.equal(rows.length, idempotencyKeys.perUser)
  assert.ok(!rows.some(({ key }) => key === '1' || key === '2'))
  await ctx.db.deleteFrom('idempotent_requests').where('user_id', '=', gus.id).execute()
})

test('stored responses are encrypted, because some contain keys', async () => {
  const key = randomUUID()
  const { body } = await write(key, { url: '/users/me/api_key/regenerate' })
  const { body_sealed } = await world.ctx.db
    .selectFrom('idempotent_requests')
    .select('body_sealed')
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  const { api_key } = body as unknown as { api_key: string }
  ann.credentials.key = api_key
  assert.ok(api_key.length > 20)
  assert.ok(!body_sealed!.toString('latin1').includes(api_key))
})

test('a request without the header, or one that only reads, stores nothing', async () => {
  const count = async () =>
    (await world.ctx.db.selectFrom('idempotent_requests').select('id').where('user_id', '=', world.ben.id).execute())
      .length
  const before = await count()
  await world.ben.does(messages.sendMessage, { type: 'stream', to: 'verona', topic: 'keys', content: 'plain' })
  assert.equal((await write('register', { by: world.ben, url: '/register' })).status, 200)
  assert.equal(await count(), before)
  assert.ok(operationList.filter(takesIdempotencyKey).length > 100)
})
