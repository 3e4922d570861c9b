import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { roles } from '@parley/api/common'
import * as api from '@parley/api/delivery/queues'
import { deactivateUser, revokeUserKeys, updateUser } from '@parley/api/identity/accounts'
import { createToken, revokeToken } from '@parley/api/identity/tokens'
import { getExports } from '@parley/api/operation/export'
import { getOwnUser } from '@parley/api/people/users'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { closeContext, createContext } from '../../boot/create-context.ts'
import { type Context, transactIn } from '../../context.ts'
import { buildApp } from '../../http/app.ts'
import { query } from '../../platform/postgres/test-support.ts'
import { Actor } from '../../testing/actor.ts'
import { until } from '../../testing/until.ts'
import { startsWaiting } from '../../testing/waiting-poll.ts'
import { newWorld, type World } from '../../testing/world.ts'

let here: World
let other: { ctx: Context; app: FastifyInstance }

/** The same user, connected to the other process. */
function elsewhere(actor: Actor): Actor {
  return new Actor(other.app, actor.id, actor.name, actor.credentials)
}

before(async () => {
  here = await newWorld()
  const ctx = await createContext(here.ctx.config, here.ctx.pool.options.connectionString!)
  other = { ctx, app: buildApp(ctx) }
})

after(async () => {
  await other.app.close()
  await closeContext(other.ctx)
})

test('a message sent through one process reaches a client waiting in another', async () => {
  const { ann, ben } = here
  const far = elsewhere(ben)
  // Even on a busy machine, the wake-up hint is sometimes faster than polling the counters.
  await until(async () => {
    const { queue_id, last_event_id } = await far.registers()
    const waiting = far.does(api.getEvents, { queue_id, last_event_id })
    const started = performance.now()
    const id = await ann.sends({ to: [ben] })
    const { events } = await waiting
    assert.equal(events[0]?.type === 'message' && events[0].message.id, id)
    return performance.now() - started < 500
  }, 10)
})

test('a queue registered in one process can be polled in any other', async () => {
  const { ann, ben } = here
  const { queue_id, last_event_id } = await ben.registers()
  await ann.sends({ to: [ben], content: 'one' })
  const near = await ben.does(api.getEvents, { queue_id, last_event_id, dont_block: true })
  const far = await elsewhere(ben).does(api.getEvents, { queue_id, last_event_id })
  assert.deepEqual(far.events, near.events)
})

test('a queue deleted in one process ends in every other', async () => {
  const { ben } = here
  const { queue_id, last_event_id } = await ben.registers()
  const poll = () => elsewhere(ben).does(api.getEvents, { queue_id, last_event_id })
  const { answer } = await startsWaiting(other.ctx, poll)
  await ben.does(api.deleteQueue, { queue_id })
  assert.deepEqual((await answer).events, [])
  assert.equal((await elsewhere(ben).isRefused(api.getEvents, { queue_id, last_event_id })).code, 'BAD_EVENT_QUEUE_ID')
})

test('concurrent sends through two processes arrive in the same order in both, without gaps or duplicates', async () => {
  const { ann, ben, mona } = here
  const far = { ann: elsewhere(ann), mona: elsewhere(mona) }
  await ben.registers()
  await far.mona.registers()
  const sends = Array.from({ length: 60 }, (_, n) =>
    (n % 2 ? ann : far.ann).sends({ to: [ben, mona], content: `message ${n}` }),
  )
  const ids = (await Promise.all(sends)).sort((a, b) => a - b)
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.deepEqual(
    (await ben.receives('message')).map((event) => event.message.id),
    ids,
  )
  assert.deepEqual(
    (await far.mona.receives('message')).map((event) => event.message.id),
    ids,
  )
})

const revocations: Record<string, (actor: Actor) => Promise<unknown>> = {
  'a replaced API key': (actor) => here.olga.does(revokeUserKeys, { path: { user_id: actor.id } }),
  'a deactivated user': (actor) => here.olga.does(deactivateUser, { path: { user_id: actor.id } }),
  'a lost role': (actor) => here.olga.does(updateUser, { path: { user_id: actor.id }, role: roles.member }),
}

for (const [what, revoke] of Object.entries(revocations))
  test(`${what} counts in every process within 100 ms, even if the log cannot be followed`, async (t) => {
    const admin = await here.add(what.replaceAll(' ', '-'), roles.admin)
    const far = elsewhere(admin)
    t.mock.method(other.ctx.follower, 'hinted', () => {})
    for (let n = 0; n < 2; n++) await far.does(getExports)

    await revoke(admin)
    await sleep(100)

    assert.match((await far.isRefused(getExports)).code, /^UNAUTHORIZED/)
  })

test('a token that another process revoked is refused within 100 ms, even if the log cannot be followed', async (t) => {
  const { ann, host } = here
  t.mock.method(other.ctx.follower, 'hinted', () => {})
  const { token, id } = await ann.does(createToken, { name: 'bridge' })
  const headers = { host, authorization: `Bearer ${token}` }
  const status = async () => (await other.app.inject({ url: '/api/v1/users/me', headers })).statusCode
  assert.deepEqual([await status(), await status()], [200, 200])

  await ann.does(revokeToken, { path: { token_id: id } })
  await sleep(100)

  assert.equal(await status(), 401)
})

test('a caller is not loaded again just because the process was idle', async (t) => {
  const far = elsewhere((await newWorld()).mona) // in a realm where nothing else happens
  await far.does(getOwnUser)
  await sleep(100)
  const { mock } = t.mock.method(pg.Client.prototype, 'query')

  await far.does(getOwnUser)

  const statements = mock.calls.map(({ arguments: [query] }) => (query as { text?: string })?.text ?? '')
  assert.deepEqual(
    statements.filter((text) => text.includes('api_key_hash')),
    [],
  )
})

test('if NOTIFY is blocked, events of another process are read from the log, and jobs are still added', async (t) => {
  const { ann, ben, ctx, realmId, ownerUrl } = here
  const rights = (change: string) => query(ownerUrl, `${change} public`)
  await rights('revoke execute on function pg_notify(text, text) from')
  t.after(() => rights('grant execute on function pg_notify(text, text) to'))
  await assert.rejects(ctx.pool.query(`select pg_notify('x', '')`), /permission denied/)
  const { queue_id, last_event_id } = await elsewhere(ben).registers()
  const waiting = elsewhere(ben).does(api.getEvents, { queue_id, last_event_id })

  const id = await ann.sends({ to: [ben] })
  await transactIn(ctx, realmId, (tx) => tx.enqueue('delete_file', { path: 'none' }))

  const { events } = await waiting
  assert.equal(events[0]?.type === 'message' && events[0].message.id, id)
})
