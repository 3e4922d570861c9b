import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createToken } from '@parley/api/identity/tokens'
import { getOwnUser } from '@parley/api/people/users'
import { sql } from 'kysely'
import { transactIn } from '../../context.ts'
import { buildApp } from '../../http/app.ts'
import { exists } from '../../platform/db/query.ts'
import { sendSlowly } from '../../testing/load/slow-body.ts'
import { patchOf, ScimClient, scimUser } from '../../testing/peers/scim-client.ts'
import { until } from '../../testing/until.ts'
import { newWorld } from '../../testing/world.ts'
import { parseFilter } from './filter.ts'
import { createScimToken, listScimTokens, revokeScimToken } from './tokens.ts'

const world = await newWorld()
const { ann, ctx, olga, realmId } = world
const scim = await ScimClient.open(world)
const user = 'urn:ietf:params:scim:schemas:core:2.0:User'

test('the server describes itself: configuration, resource types and schemas', async () => {
  const config = await scim.does('GET', '/ServiceProviderConfig')
  const supported = Object.entries(config).filter(([, one]) => (one as { supported?: boolean }).supported)
  assert.deepEqual(
    supported.map(([name]) => name),
    ['patch', 'filter'],
  )
  const { Resources: types } = await scim.does('GET', '/ResourceTypes')
  assert.deepEqual(
    types.map(({ endpoint }: { endpoint: string }) => endpoint),
    ['/Users', '/Groups'],
  )
  const { Resources: schemas } = await scim.does('GET', '/Schemas')
  for (const { id } of schemas) assert.equal((await scim.does('GET', `/Schemas/${id}`)).id, id)
  assert.equal((await scim.does('GET', '/ResourceTypes/User')).schema, user)
  assert.equal(await scim.isRefused('GET', '/Schemas/other'), '404')
})

test('without a token of this organization nothing is answered', async () => {
  const other = await ScimClient.open(await newWorld())
  const { token } = await olga.does(createToken, { name: 'mine' })
  const basic = Buffer.from(`${olga.credentials.email}:${olga.credentials.key}`).toString('base64')
  for (const authorization of [
    ...['', 'Bearer', 'Bearer x', `Basic ${basic}`, `Bearer ${token}`, `Bearer ${other.token}`, scim.token],
    ...[`Bearer ${scim.token}x`, `Bearer ${scim.token} x`, `Bearer ${olga.credentials.key}`],
  ])
    for (const path of ['/Users', '/Groups', `/Users/${ann.id}`, '/ServiceProviderConfig', '/Schemas']) {
      const { status, body, response } = await scim.request('GET', path, undefined, { authorization })
      assert.equal(status, 401, authorization)
      assert.equal(body.status, '401')
      assert.match(String(response.headers['www-authenticate']), /^Bearer/)
    }
})

test('the token is none of a user: the API refuses it', async () => {
  const headers = { host: world.host, authorization: `Bearer ${scim.token}` }
  const answer = await world.app.inject({ url: '/api/v1/users/me', headers })
  assert.ok([400, 401].includes(answer.statusCode))
  await ann.does(getOwnUser)
})

test('a token that is revoked before the end of the body changes nothing', async () => {
  const { id, token } = await transactIn(ctx, realmId, (tx) => createScimToken(tx, 'slow'))
  const finish = await sendSlowly(world.app, {
    method: 'POST',
    path: '/scim/v2/Users',
    body: JSON.stringify({ schemas: [user], userName: 'late@acme.test' }),
    headers: { host: world.host, authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
  })
  await transactIn(ctx, realmId, (tx) => revokeScimToken(tx, id))
  assert.equal((await finish()).status, '401')
})

test('writes of one organization take turns, and the token is checked when a turn comes', async () => {
  const { id, token } = await transactIn(ctx, realmId, (tx) => createScimToken(tx, 'many'))
  const many = new ScimClient(world, token)
  const asked = await ctx.db.transaction().execute(async (db) => {
    await sql`select 1 from realms where id = ${realmId} for update`.execute(db) // new users wait for this
    const requests = Array.from({ length: 20 }, (_, n) =>
      many.request('POST', '/Users', scimUser(`turn${n}@acme.test`)),
    )
    await until(
      () =>
        exists(ctx.db)`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    await ctx.db.deleteFrom('scim_tokens').where('realm_id', '=', realmId).where('id', '=', id).execute()
    return { requests }
  })
  const statuses = (await Promise.all(asked.requests)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [201, ...Array(19).fill(401)])
})

test('a revoked token ends at once, and the database has only hashes', async () => {
  const short = await ScimClient.open(world)
  const tokens = await listScimTokens(ctx.db, realmId)
  await short.does('GET', '/Users')
  await transactIn(ctx, realmId, (tx) => revokeScimToken(tx, tokens.at(-1)!.id))
  assert.equal(await short.isRefused('GET', '/Users'), '401')
  const rows = await ctx.db.selectFrom('scim_tokens').selectAll().where('realm_id', '=', realmId).execute()
  assert.ok(!JSON.stringify(rows).includes(scim.token))
  assert.ok(rows[0]!.used_at)
})

test('a user of another organization does not exist here', async () => {
  const elsewhere = await newWorld()
  assert.equal(await scim.isRefused('GET', `/Users/${elsewhere.ann.id}`), '404')
  assert.equal(await scim.isRefused('DELETE', `/Users/${elsewhere.ann.id}`), '404')
  await elsewhere.ann.does(getOwnUser)
})

const many = Array.from({ length: 1001 }, () => ({ op: 'replace', path: 'title', value: 'x' }))
const malformed: [name: string, method: string, path: string, body: unknown, expected: string][] = [
  ['no JSON', 'POST', '/Users', '{', '400 invalidSyntax'],
  ['no body', 'POST', '/Users', undefined, '400 invalidSyntax'],
  ['a list', 'POST', '/Users', [], '400 invalidSyntax'],
  ['no schema', 'POST', '/Users', { userName: 'x@acme.test' }, '400 invalidSyntax'],
  ['the wrong schema', 'POST', '/Users', { schemas: ['x'], userName: 'x@acme.test' }, '400 invalidSyntax'],
  ['a body of two megabytes', 'POST', '/Users', `"${'x'.repeat(2 ** 21)}"`, '413'],
  ['no user name', 'POST', '/Users', { schemas: [user] }, '400 invalidValue'],
  ['a user name that is a number', 'POST', '/Users', { schemas: [user], userName: 7 }, '400 invalidValue'],
  ['no email at all', 'POST', '/Users', { schemas: [user], userName: 'x' }, '400 invalidValue'],
  ['broken text', 'POST', '/Users', { schemas: [user], userName: 'x\0@acme.test' }, '400 invalidSyntax'],
  [
    'an unknown attribute',
    'POST',
    '/Users',
    { schemas: [user], userName: 'x@acme.test', __proto: 1 },
    '400 invalidPath',
  ],
  ['active that is neither', 'POST', '/Users', { schemas: [user], userName: 'x@y', active: 'no' }, '400 invalidValue'],
  ['emails that are text', 'POST', '/Users', { schemas: [user], userName: 'x@y', emails: [1] }, '400 invalidValue'],
  ['an unknown operation', 'PATCH', `/Users/${ann.id}`, patchOf([{ op: 'move', path: 'title' }]), '400 invalidSyntax'],
  ['no operations', 'PATCH', `/Users/${ann.id}`, patchOf([]), '400 invalidSyntax'],
  ['operations that are none', 'PATCH', `/Users/${ann.id}`, patchOf(['x']), '400 invalidSyntax'],
  ['too many operations', 'PATCH', `/Users/${ann.id}`, patchOf(many), '400 tooMany'],
  ['remove without a path', 'PATCH', `/Users/${ann.id}`, patchOf([{ op: 'remove' }]), '400 noTarget'],
  ['a broken path', 'PATCH', `/Users/${ann.id}`, patchOf([{ op: 'add', path: 'a b', value: 1 }]), '400 invalidPath'],
  ['an unknown path', 'PATCH', `/Users/${ann.id}`, patchOf([{ op: 'add', path: 'role', value: 1 }]), '400 invalidPath'],
  [
    'a broken filter in a path',
    'PATCH',
    `/Users/${ann.id}`,
    patchOf([{ op: 'add', path: 'emails[x]', value: 1 }]),
    '400 invalidFilter',
  ],
  [
    'a removed user name',
    'PATCH',
    `/Users/${ann.id}`,
    patchOf([{ op: 'remove', path: 'userName' }]),
    '400 invalidValue',
  ],
  ['an unknown user', 'PATCH', '/Users/999999999', patchOf([{ op: 'add', path: 'title', value: 'x' }]), '404'],
  ['an id that is no number', 'GET', '/Users/ann', undefined, '404'],
  ['a filter by another attribute', 'GET', '/Users?filter=title%20eq%20%22x%22', undefined, '400 invalidFilter'],
  ['another operator', 'GET', '/Users?filter=userName%20co%20%22x%22', undefined, '400 invalidFilter'],
  ['an empty filter', 'GET', '/Users?filter=', undefined, '400 invalidFilter'],
  ['broken text in a filter', 'GET', '/Users?filter=userName%20eq%20%22%00%22', undefined, '400 invalidValue'],
  ['a count that is no number', 'GET', '/Users?count=x', undefined, '400 invalidValue'],
]
for (const [name, method, path, body, expected] of malformed)
  test(`${name} is refused`, async () => {
    assert.equal(await scim.isRefused(method, path, body), expected)
  })

test('filters: comparisons with eq, joined with and', () => {
  const plain = (text: string) =>
    parseFilter(text).map(({ path: { attribute, sub, filter }, value }) => [attribute, sub, filter?.length, value])
  assert.deepEqual(plain('userName eq "a\\"b and c"'), [['username', undefined, undefined, 'a"b and c']])
  assert.deepEqual(plain('ACTIVE EQ True AND id eq "1"'), [
    ['active', undefined, undefined, true],
    ['id', undefined, undefined, '1'],
  ])
  assert.deepEqual(plain('emails[type eq "a]b"].value eq "x"'), [['emails', 'value', 1, 'x']])
  for (const bad of ['', 'a', 'a eq', 'a eq "x', 'a eq x', 'a eq "x" or b eq "y"', 'a eq "x" and', 'not (a eq "x")'])
    assert.throws(() => parseFilter(bad), /not supported/, bad)
  assert.throws(() => parseFilter(`${'['.repeat(10_000)} eq "x"`), /not supported/)
  assert.throws(() => parseFilter(Array(12).fill('a eq "x"').join(' and ')), /not supported/)
})

test('a body in plain JSON is understood too', async () => {
  const body = JSON.stringify({ schemas: [user], userName: 'plain@acme.test' })
  const { status } = await scim.request('POST', '/Users', body, { 'content-type': 'application/json; charset=utf-8' })
  assert.equal(status, 201)
})

test('many wrong tokens are answered with 429, in the form of SCIM', async () => {
  const app = buildApp({ ...ctx, config: { ...ctx.config, rateLimit: 200 } })
  test.after(() => app.close())
  const guesser = new ScimClient({ app, host: world.host }, 'wrong')
  for (let guess = 0; guess < 100; guess++) await guesser.isRefused('GET', '/Users')
  const { status, body, response } = await guesser.request('GET', '/Users')
  assert.deepEqual([status, body.status], [429, '429'])
  assert.ok(response.headers['retry-after'])
})
