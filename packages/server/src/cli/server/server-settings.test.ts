import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { sendMessage } from '@parley/api/conversations/messages'
import { updateRealm } from '@parley/api/organization/realm'
import { getOwnServer, updateOwnServer } from '@parley/api/organization/server-settings'
import { getOwnUser } from '@parley/api/people/users'
import { matches } from '../../platform/db/matches.ts'
import { inChannel } from '../../testing/channels.ts'
import { runCommand } from '../../testing/command.ts'
import { until } from '../../testing/until.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { catchUp, environmentOf } from '../../testing/world-command.ts'

let world: World | undefined

/** They concern all realms of the server. */
afterEach(async () => {
  await run('maintenance', 'off')
  await run('rate-limit', 'set', 'default')
})

/** Runs a command and waits until the server has noticed what it did. */
async function run(...args: string[]): Promise<{ code: number; output: string }> {
  const { ctx } = world!
  const result = await runCommand(args, { env: environmentOf(world!) })
  const row = await ctx.db.selectFrom('server_settings').selectAll().executeTakeFirstOrThrow()
  await until(() => ctx.settings.maintenance === row.maintenance && ctx.settings.rateLimit === row.rate_limit)
  await catchUp(world!)
  return result
}

test('in maintenance, changes are refused with its text, while reading, events and registering go on', async () => {
  world = await newWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  await ann.registers()
  await run('maintenance', 'on', ' Back at 18:00 ')

  const message = { type: 'channel', to: 'verona', topic: 'tea', content: 'hi' } as const
  const { status, body } = await ben.request(sendMessage, message)
  const { code, msg } = body as { code: string; msg: string }
  assert.deepEqual(
    [status, code, msg],
    [503, 'MAINTENANCE', 'Nothing can be changed during maintenance: Back at 18:00'],
  )
  assert.deepEqual(
    (await ann.receives('server_maintenance')).map(({ text }) => text),
    ['Back at 18:00'],
  )
  assert.equal((await ben.does(getOwnUser)).user_id, ben.id)
  await ben.registers()
  await run('maintenance', 'off')
  await ben.does(sendMessage, message)
  assert.equal((await ann.receives('message')).length, 1)
})

test('the beginning and the end of maintenance reach clients as the state that they register with', async () => {
  world = await newWorld()
  await verifyEvents([world.ann], () => run('maintenance', 'on', 'Back at 18:00'))
  await verifyEvents([world.ann], () => run('maintenance', 'off'))
})

test('in maintenance, hooks of other services are refused with 503, so that they try again', async () => {
  world = await newWorld()
  await run('maintenance', 'on', 'Back at 18:00')
  const { statusCode, headers } = await world.app.inject({
    method: 'POST',
    url: '/in/x',
    headers: { host: world.host },
  })
  assert.deepEqual([statusCode, headers['retry-after']], [503, '60'])
})

test('in maintenance, users sign in and out, but nobody joins', async () => {
  world = await newWorld()
  await run('maintenance', 'on', 'Back at 18:00')
  const statusOf = async (url: string) => {
    const headers = { host: world!.host, origin: `http://${world!.host}` }
    return (await world!.app.inject({ method: 'POST', url, headers })).statusCode
  }
  for (const url of ['/join', '/join/x', '/reset']) assert.equal(await statusOf(url), 503, url)
  for (const url of ['/login', '/logout', '/api/v1/fetch_api_key']) assert.notEqual(await statusOf(url), 503, url)
})

test('the rate limit of a running server is changed and brought back', async () => {
  world = await newWorld()
  const { ann } = world
  await run('rate-limit', 'set', '2')
  for (let request = 0; request < 2; request++) await ann.does(getOwnUser)
  assert.equal((await ann.isRefused(getOwnUser)).code, 'RATE_LIMIT_HIT')
  await run('rate-limit', 'set', 'default') // none in tests
  for (let request = 0; request < 3; request++) await ann.does(getOwnUser)
})

test('a maintenance without a text and a rate limit that is no number are refused', async () => {
  world = await newWorld()
  for (const text of [' ', 'x'.repeat(301)])
    assert.match((await run('maintenance', 'on', text)).output, /^Say in 1 to 300 characters/)
  for (const limit of ['many', '-1', '1000001'])
    assert.match((await run('rate-limit', 'set', '--', limit)).output, /^The rate limit is a whole number/)
  assert.equal(world.ctx.settings.maintenance, null)
})

test('the owner of the only organization begins and ends maintenance, and changes the rate limit', async () => {
  world = await newWorld()
  const { olga, ann, ctx } = world
  const others = (await ctx.db.selectFrom('realms').select('id').where('deactivated', '=', false).execute()).filter(
    ({ id }) => id !== world!.realmId,
  )
  const setOthers = (deactivated: boolean) =>
    ctx.db
      .updateTable('realms')
      .set({ deactivated })
      .where(matches({ id: others.map(({ id }) => id) }))
      .execute()
  await setOthers(true)
  try {
    await ann.registers()
    assert.equal((await olga.does(getOwnServer)).may_change, true)
    await olga.does(updateOwnServer, { maintenance: ' Back at 18:00 ', rate_limit: 50 })
    const { maintenance, rate_limit } = await olga.does(getOwnServer)
    assert.deepEqual([maintenance, rate_limit], ['Back at 18:00', 50])
    assert.equal((await olga.request(updateRealm, { name: 'Other' })).status, 503)
    await olga.does(updateOwnServer, { maintenance: null, rate_limit: null })
    assert.deepEqual(
      (await ann.receives('server_maintenance')).map(({ text }) => text),
      ['Back at 18:00', null],
    )
    const rows = ctx.db.selectFrom('audit_log').select('acting_user_id').where('realm_id', '=', world.realmId)
    const changes = await rows.where('action', '=', 'server_settings_changed').execute()
    assert.deepEqual(changes, [{ acting_user_id: olga.id }, { acting_user_id: olga.id }])
  } finally {
    await setOthers(false)
  }
})

test('where other organizations use the server, their owners cannot change it', async () => {
  world = await newWorld()
  await newWorld()
  const { olga } = world
  assert.equal((await olga.does(getOwnServer)).may_change, false)
  const { code, msg } = await olga.isRefused(updateOwnServer, { rate_limit: 50 })
  assert.deepEqual(
    [code, msg],
    ['PERMISSION_DENIED', 'Other organizations use this server, so only its operator can change this.'],
  )
  assert.equal(world.ctx.settings.rateLimit, null)
})

test('an owner begins no maintenance without a text, nor sets a limit out of range', async () => {
  world = await newWorld()
  const { olga } = world
  for (const change of [{ maintenance: ' ' }, { maintenance: 'x'.repeat(301) }, { rate_limit: -1 }])
    await olga.isRefused(updateOwnServer, change)
  assert.equal(world.ctx.settings.maintenance, null)
})
