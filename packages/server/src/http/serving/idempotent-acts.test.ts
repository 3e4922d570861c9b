import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, mock, test } from 'node:test'
import { editMessage } from '@parley/api/conversations/editing'
import { getMessages } from '@parley/api/conversations/messages'
import { removeReaction } from '@parley/api/conversations/reactions'
import { sql } from 'kysely'
import pg from 'pg'
import { closeContext, createContext } from '../../boot/create-context.ts'
import { actIn } from '../../context.ts'
import { column, many } from '../../platform/db/query.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { until } from '../../testing/until.ts'
import { newWorld } from '../../testing/world.ts'
import { buildApp } from '../app.ts'

const world = await newWorld()
const { ctx, realmId, olga, ann, ben, mona } = world
await inChannel('verona', [ann, ben, mona])
const first = await ann.sends({ channel: 'verona' })
// A lane that waits for a second is given up, so that callers must be cached.
for (const user of [ann, ben, mona]) await user.does(getMessages, { message_ids: [first] })

/** A second process of the cluster. */
const otherCtx = await createContext(ctx.config, ctx.pool.options.connectionString!)
const otherApp = buildApp(otherCtx)
after(async () => {
  await otherApp.close()
  await closeContext(otherCtx)
})

interface Act {
  by: Actor
  key: string
  method?: 'POST' | 'PATCH' | 'DELETE'
  url: string
  params: Record<string, string>
}

async function send({ by, key, method = 'POST', url, params }: Act, app = world.app) {
  const { statusCode, body } = await app.inject({
    method,
    url: `/api/v1${url}`,
    headers: { ...by.headers, 'idempotency-key': key, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(params).toString(),
  })
  return { status: statusCode, body, code: (JSON.parse(body) as { code?: string }).code }
}

function reaction(by: Actor, messageId: number): Act {
  return { by, key: randomUUID(), url: `/messages/${messageId}/reactions`, params: { emoji_name: 'tada' } }
}

function edit(by: Actor, messageId: number, content: string): Act {
  return { by, key: randomUUID(), method: 'PATCH', url: `/messages/${messageId}`, params: { content } }
}

/** Lets acts arrive while a transaction of their realm is open, so that they share the next one. */
async function together(acts: Act[]) {
  const gate = Promise.withResolvers<void>()
  const open = actIn(ctx, { id: olga.id, realm_id: realmId }, () => gate.promise)
  const arriving = mock.method(ctx.lanes, 'act')
  const done = acts.map((act) => send(act))
  await until(() => arriving.mock.callCount() === acts.length)
  arriving.mock.restore()
  gate.resolve()
  await open
  return Promise.all(done)
}

/** The transactions that wrote the claims of these acts, for those that have a stored response. */
function claimsOf(acts: Act[]): Promise<string[]> {
  return column<string>(ctx.db)`
    select xmin::text from idempotent_requests
     where key = any(${acts.map(({ key }) => key)}::text[]) and is_applied and status = 200 and body_sealed is not null`
}

function eventsOf(messageId: number, op = 'add'): Promise<{ user_id: number; transaction: string }[]> {
  return many<{ user_id: number; transaction: string }>(ctx.db)`
    select (payload::json ->> 'user_id')::bigint as user_id, xmin::text as transaction from events
     where realm_id = ${realmId} and type = 'reaction' and payload::json ->> 'op' = ${op}
       and (payload::json ->> 'message_id')::bigint = ${messageId} order by seq`
}

async function countClaims(acts: Act[]): Promise<number> {
  const keys = acts.map(({ key }) => key)
  const rows = await column<number>(ctx.db)`select id from idempotent_requests where key = any(${keys}::text[])`
  return rows.length
}

/** Blocks the commits of the realm, like a slow transaction of another process. */
async function blockCommits() {
  const client = new pg.Client({ connectionString: world.ownerUrl })
  await client.connect()
  await client.query('begin')
  await client.query('select 1 from realm_counters where realm_id = $1 for update', [realmId])
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const blocked = () => column<number>(ctx.db)`
    select pid from pg_stat_activity where ${rows[0]!.pid}::integer = any(pg_blocking_pids(pid))`
  return { unblock: () => client.end(), blocked }
}

test('the claims, changes and responses of several users are one transaction', async () => {
  const id = await ann.sends({ channel: 'verona' })
  const acts = [reaction(ann, id), reaction(ben, id), reaction(mona, id)]
  for (const { status } of await together(acts)) assert.equal(status, 200)
  const transactions = [...(await claimsOf(acts)), ...(await eventsOf(id)).map(({ transaction }) => transaction)]
  assert.equal(transactions.length, 6)
  assert.equal(new Set(transactions).size, 1)
})

test('a refused act leaves no claim, and the others of its transaction keep theirs', async () => {
  const id = await ann.sends({ channel: 'verona' })
  const acts = [reaction(ann, id), edit(ben, id, 'not mine'), reaction(mona, id)]
  const statuses = (await together(acts)).map(({ status }) => status)
  assert.deepEqual(statuses, [200, 400, 200])
  assert.equal(await countClaims(acts), 2)
  assert.equal((await claimsOf(acts)).length, 2)
  assert.equal((await send(acts[1]!)).status, 400)
})

test('an act that waits for a lock is done alone, with its claim', async () => {
  const [id, locked] = [await ann.sends({ channel: 'verona' }), await ann.sends({ channel: 'verona' })]
  const client = await ctx.pool.connect()
  await client.query('begin')
  await client.query('select from messages where realm_id = $1 and id = $2 for update', [realmId, locked])
  const acts = [reaction(ann, id), reaction(ben, locked), reaction(mona, id)]
  const done = together(acts)
  await until(async () => (await eventsOf(id)).length === 2)
  await client.query('commit')
  client.release()
  for (const { status } of await done) assert.equal(status, 200)
  assert.equal(new Set(await claimsOf(acts)).size, 3)
  assert.equal((await eventsOf(locked)).length, 1)
})

test('a repeated act returns the stored response and changes nothing, also beside the acts of others', async () => {
  const id = await ann.sends({ channel: 'verona' })
  const act = reaction(ann, id)
  const first = await send(act)
  await ann.does(removeReaction, { path: { message_id: id }, emoji_name: 'tada' })
  const [again, other] = await together([act, reaction(ben, id)])
  assert.deepEqual(again, first)
  assert.equal(other!.status, 200)
  assert.deepEqual(
    (await eventsOf(id)).map(({ user_id }) => user_id),
    [ann.id, ben.id],
  )
})

test('a repeated edit returns the stored response, although it could not be done any more', async () => {
  const id = await ann.sends({ channel: 'verona', content: 'first' })
  const act = edit(ann, id, 'second')
  const first = await send(act)
  assert.equal(first.status, 200)
  await ann.does(editMessage, { path: { message_id: id }, content: 'third' })
  await sql`update messages set date_sent = now() - interval '1 year' where realm_id = ${realmId} and id = ${id}`.execute(
    ctx.db,
  )
  assert.deepEqual(await send(act, otherApp), first)
  const [content] = await column<string>(ctx.db)`
    select content from messages where realm_id = ${realmId} and id = ${id}`
  assert.equal(content, 'third')
})

test('the key of an act is refused for another act', async () => {
  const id = await ann.sends({ channel: 'verona' })
  const act = reaction(ann, id)
  await send(act)
  const other = { ...act, params: { emoji_name: 'heart' } }
  assert.equal((await send(other)).code, 'IDEMPOTENCY_KEY_REUSED')
})

for (const [name, apps] of [
  ['one process', [world.app, world.app]],
  ['two processes', [world.app, otherApp]],
] as const)
  test(`two concurrent acts with one key in ${name} give one change`, async () => {
    const id = await ann.sends({ channel: 'verona' })
    const act = reaction(ann, id)
    const { unblock, blocked } = await blockCommits()
    const answers = apps.map((app) => send(act, app))
    await until(async () => (await blocked()).length > 0)
    await unblock()
    const [first, second] = await Promise.all(answers)
    assert.deepEqual(first, second)
    assert.equal(first!.status, 200)
    assert.equal((await eventsOf(id)).length, 1)
  })

test('after the connection of a transaction is lost, there is neither a change nor a claim', async () => {
  const id = await ann.sends({ channel: 'verona' })
  const acts = [reaction(ann, id), reaction(ben, id), reaction(mona, id)]
  const { unblock, blocked } = await blockCommits()
  const answers = together(acts)
  await until(async () => {
    const pids = await blocked()
    await sql`select pg_terminate_backend(pid, 5000) from unnest(${pids}::integer[]) pid`.execute(ctx.db)
    return pids.length > 0
  })
  for (const { code } of await answers) assert.ok(['OUTCOME_UNKNOWN', 'SERVICE_UNAVAILABLE'].includes(code!))
  await unblock()
  assert.deepEqual([await countClaims(acts), (await eventsOf(id)).length], [0, 0])
  for (const act of acts) assert.equal((await send(act)).status, 200)
  assert.equal((await eventsOf(id)).length, 3)
})
