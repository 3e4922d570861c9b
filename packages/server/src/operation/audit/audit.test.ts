import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { deactivateUser, updateUser } from '@parley/api/identity/accounts'
import { createToken } from '@parley/api/identity/tokens'
import { getAuditLog, getSignIns } from '@parley/api/operation/audit-log'
import { updateRealm } from '@parley/api/organization/realm'
import pg from 'pg'
import { hashPassword } from '../../identity/passwords/passwords.ts'
import { auditFailedSignIn } from '../../identity/sessions/sign-in-notices.ts'
import { Actor } from '../../testing/actor.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { verifyChain } from './verify.ts'

/** Changes rows as nobody may: with the rights of the owner of the database. */
async function tamper({ ownerUrl }: World, text: string, values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  await client.query(text, values).finally(() => client.end())
}

/** A world in which a few things were done. */
async function busyWorld(): Promise<World> {
  const world = await newWorld()
  const { olga, adam, ann, ben } = world
  await olga.does(updateUser, { path: { user_id: ann.id }, role: roles.moderator })
  await adam.does(updateRealm, { mandatory_topics: true })
  await adam.does(deactivateUser, { path: { user_id: ben.id } })
  return world
}

test('owners read who did what from where, with the values before and after', async () => {
  const { olga, adam, ann } = await busyWorld()
  const { rows, found_oldest } = await olga.does(getAuditLog)
  assert.equal(found_oldest, true)
  const updated = rows.find(({ action }) => action === 'user_updated')!
  assert.deepEqual([updated.actor_id, updated.target.user_id], [olga.id, ann.id])
  assert.deepEqual([updated.before, updated.after], [{ role: roles.member }, { role: roles.moderator }])
  assert.deepEqual([updated.via, updated.ip_address, updated.credential_id], ['key', '127.0.0.1', null])
  const realm = rows.find(({ action }) => action === 'realm_updated')!
  assert.deepEqual([realm.actor_id, realm.after], [adam.id, { mandatory_topics: true }])
  assert.deepEqual(realm.before, { mandatory_topics: false })
  assert.deepEqual(
    rows.map(({ id }) => id),
    Array.from(rows, (_, index) => rows.length - index),
  )
})

test('the log says which token was used', async () => {
  const { olga, ann, app, host } = await newWorld()
  const { token, id } = await olga.does(createToken, { name: 'script' })
  const withToken = new Actor(app, olga.id, 'Olga', { host, email: olga.credentials.email, key: token })
  await withToken.does(updateUser, { path: { user_id: ann.id }, role: roles.guest })
  const { rows } = await olga.does(getAuditLog, { action: 'user_updated' })
  assert.deepEqual([rows[0]!.via, rows[0]!.credential_id], ['token', id])
})

test('the log is filtered by actor, target, kind and time, and read in pages', async () => {
  const { olga, adam, ben } = await busyWorld()
  const actionsOf = async (params: object) => (await olga.does(getAuditLog, params)).rows.map(({ action }) => action)
  assert.ok((await actionsOf({ actor_id: adam.id })).includes('realm_updated'))
  assert.ok(!(await actionsOf({ actor_id: adam.id })).includes('user_updated'))
  assert.ok((await actionsOf({ target_kind: 'user', target_id: ben.id })).includes('user_deactivated'))
  assert.ok(!(await actionsOf({ target_kind: 'user', target_id: ben.id })).includes('user_updated'))
  assert.deepEqual(await actionsOf({ action: 'realm_updated' }), ['realm_updated'])
  assert.deepEqual(await actionsOf({ since: Math.floor(Date.now() / 1000) + 60 }), [])
  assert.deepEqual(await actionsOf({ until: Math.floor(Date.now() / 1000) - 60 }), [])
  const all = (await olga.does(getAuditLog)).rows
  const first = await olga.does(getAuditLog, { limit: 2 })
  const second = await olga.does(getAuditLog, { limit: 500, before: first.rows[1]!.id })
  assert.deepEqual([...first.rows, ...second.rows], all)
  assert.deepEqual([first.found_oldest, second.found_oldest], [false, true])
})

const tampering: [name: string, statement: string][] = [
  ['one altered row', `update audit_log set target = '{}' where realm_id = $1 and number = 2`],
  [
    'one altered time',
    `update audit_log set created_at = created_at + interval '1 second' where realm_id = $1 and number = 2`,
  ],
  ['one removed row', 'delete from audit_log where realm_id = $1 and number = 2'],
  ['a removed first row', 'delete from audit_log where realm_id = $1 and number = 1'],
  [
    'a removed last row',
    'delete from audit_log where realm_id = $1 and number = (select max(number) from audit_log where realm_id = $1)',
  ],
  [
    'two rows in another order',
    'update audit_log set number = case number when 2 then -3 else -2 end where realm_id = $1 and number in (2, 3)',
  ],
]

for (const [name, statement] of tampering)
  test(`the chain shows ${name}`, async () => {
    const world = await busyWorld()
    assert.equal((await verifyChain(world.ctx.db, world.realmId)).problem, undefined)
    await tamper(world, statement, [world.realmId])
    assert.match((await verifyChain(world.ctx.db, world.realmId)).problem!, /^Row/)
  })

test('the chain shows an inserted row', async () => {
  const world = await busyWorld()
  await tamper(
    world,
    `do $$ begin
       alter table audit_log disable trigger all;
       insert into audit_log (realm_id, number, action) values (${world.realmId}, 99, 'forged');
       alter table audit_log enable trigger all;
     end $$`,
    [],
  )
  assert.match((await verifyChain(world.ctx.db, world.realmId)).problem!, /^Row 99/)
})

test('acts at the same time form one chain per organization', async () => {
  const [world, other] = [await newWorld(), await newWorld()]
  const people = [world.ann, world.ben, world.mona, world.gus]
  await Promise.all(
    people.map(({ id }, index) => world.olga.does(updateUser, { path: { user_id: id }, full_name: `New ${index}` })),
  )
  const { rows, problem } = await verifyChain(world.ctx.db, world.realmId)
  assert.equal(problem, undefined)
  assert.equal((await world.olga.does(getAuditLog)).rows[0]!.id, rows)
  assert.equal((await verifyChain(world.ctx.db, other.realmId)).problem, undefined)
})

test('owners export the log as CSV and as one JSON object per line, and that is logged', async () => {
  const { olga, adam, app } = await busyWorld()
  const get = (by: Actor, url: string) => app.inject({ url, headers: by.headers })
  const json = await get(olga, '/audit-log.ndjson')
  const rows = json.body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(rows[0].action, 'audit_log_exported')
  assert.deepEqual(rows, (await olga.does(getAuditLog)).rows)
  const csv = await get(olga, '/audit-log.csv')
  assert.match(csv.body, /^id,time,action,/)
  assert.equal(csv.body.trim().split('\r\n').length, rows.length + 2)
  assert.equal((await get(adam, '/audit-log.csv')).statusCode, 400)
  assert.equal((await app.inject({ url: '/audit-log.csv', headers: { host: olga.headers.host! } })).statusCode, 401)
})

test('an export contains only what the filters match, and says which they were', async () => {
  const { olga, adam, app } = await busyWorld()
  const get = (query: string) => app.inject({ url: `/audit-log.ndjson?${query}`, headers: olga.headers })
  const query = `actor_id=${adam.id}&action=realm_updated&since=1`
  const rows = (await get(query)).body.trim().split('\n')
  assert.deepEqual(
    rows.map((line) => [JSON.parse(line).actor_id, JSON.parse(line).action]),
    [[adam.id, 'realm_updated']],
  )
  const [exported] = (await olga.does(getAuditLog, { action: 'audit_log_exported' })).rows
  assert.deepEqual(exported!.target, { format: 'ndjson', actor_id: adam.id, action: 'realm_updated', since: 1 })
  assert.equal((await get('actor_id=everyone')).statusCode, 400)
})

test('users see the latest sign-ins and failed attempts of their own account', async () => {
  const { ann, ben, ctx, realmId, app, host } = await newWorld()
  const password_hash = await hashPassword('correct horse battery staple')
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', ann.id).execute()
  const headers = { host, 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' }
  for (const password of ['wrong', 'correct horse battery staple'])
    await app.inject({
      method: 'POST',
      url: '/api/v1/fetch_api_key',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ username: ann.credentials.email, password }).toString(),
    })
  const jobs = await ctx.pool.query<{ payload: never }>(
    `select payload from jobs.jobs where task = 'audit_failed_sign_in' and (payload ->> 'realm_id')::bigint = $1`,
    [realmId],
  )
  for (const { payload } of jobs.rows) await auditFailedSignIn(ctx, payload)
  const { sign_ins } = await ann.does(getSignIns)
  assert.deepEqual(
    sign_ins.map(({ is_successful, ip_address }) => [is_successful, ip_address]),
    [
      [false, '127.0.0.1'],
      [true, '127.0.0.1'],
    ],
  )
  assert.match(sign_ins[0]!.device!, /Firefox/)
  assert.deepEqual((await ben.does(getSignIns)).sign_ins, [])
  await auditFailedSignIn(ctx, { realm_id: realmId, email: 'nobody@example.com', ip_address: '10.0.0.1', device: '' })
})

test('passwords, keys and tokens never get into the log', async () => {
  const { olga, ctx, realmId } = await newWorld()
  const { token } = await olga.does(createToken, { name: 'script' })
  const { rows } = await olga.does(getAuditLog)
  const users = await ctx.db.selectFrom('users').selectAll().where('realm_id', '=', realmId).execute()
  const secrets = [token, ...users.map(({ api_key_sealed }) => ctx.vault.open(api_key_sealed))]
  const text = JSON.stringify(rows)
  assert.deepEqual(
    secrets.filter((secret) => text.includes(secret)),
    [],
  )
})
