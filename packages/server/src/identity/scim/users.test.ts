import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getSuspensions, suspendUser } from '@parley/api/identity/accounts'
import { getAuditLog } from '@parley/api/operation/audit-log'
import { getOwnUser, getUsers } from '@parley/api/people/users'
import { patchOf, ScimClient } from '../../testing/peers/scim-client.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, renewKeys } from '../../testing/world.ts'

const world = await newWorld()
const { adam, ann, ben, olga, gus } = world
const scim = await ScimClient.open(world)
const user = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

test('an email or user name that only looks like that of a user is another one, or refused', async () => {
  const lookalike = ann.credentials.email.replace('a', '\uFF41')
  assert.equal(await scim.isRefused('POST', '/Users', { schemas: [user], userName: lookalike }), '400 invalidValue')
  const filter = encodeURIComponent(`userName eq "${lookalike}"`)
  assert.equal((await scim.does('GET', `/Users?filter=${filter}`)).totalResults, 0)
})

test('Entra creates a user: other users receive the account, and the audit log names the token', async () => {
  const body = {
    schemas: [user, enterprise],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'Nora.Lind@acme.test',
    active: true,
    emails: [{ primary: true, type: 'work', value: 'nora@acme.test' }],
    meta: { resourceType: 'User' },
    displayName: 'Nora Lind',
    name: { formatted: 'Nora Lind', familyName: 'Lind', givenName: 'Nora' },
    roles: [],
    [enterprise]: { department: 'Sales', manager: { value: '1' } },
  }
  let answer: Awaited<ReturnType<ScimClient['request']>> | undefined
  await verifyEvents([ann, adam], async () => {
    answer = await scim.request('POST', '/Users', body)
  })
  const { id, meta, ...shown } = answer!.body
  assert.deepEqual([answer!.status, answer!.response.headers.location], [201, meta.location])
  assert.match(meta.location, new RegExp(`/scim/v2/Users/${id}$`))
  assert.deepEqual(shown, {
    schemas: [user],
    externalId: body.externalId,
    userName: body.userName,
    name: body.name,
    displayName: 'Nora Lind',
    active: true,
    emails: [{ value: 'nora@acme.test', type: 'work', primary: true }],
  })
  const { members } = await olga.does(getUsers)
  assert.equal(members.find(({ user_id }) => user_id === Number(id))?.delivery_email, 'nora@acme.test')
  const { rows } = await olga.does(getAuditLog, { action: 'user_created' })
  assert.deepEqual([rows[0]!.via, rows[0]!.actor_id, rows[0]!.target.user_id], ['scim', null, Number(id)])
  assert.equal(typeof rows[0]!.credential_id, 'number')
})

test('Okta looks a user up first, and gets an empty list', async () => {
  const list = await scim.find('Users', 'userName eq "nobody@acme.test"', '&startIndex=1&count=100')
  assert.deepEqual(list, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: 0,
    startIndex: 1,
    itemsPerPage: 0,
    Resources: [],
  })
})

test('Okta creates a user with a password, a locale and empty groups, which are ignored', async () => {
  const name = { givenName: 'Omar', familyName: 'Diaz' }
  const emails = [{ primary: true, value: 'omar@acme.test', type: 'work' }]
  const more = { name, emails, displayName: 'Omar Diaz', locale: 'en-US', externalId: '00ujl', groups: [] }
  const created = await scim.createUser('omar@acme.test', { ...more, password: 'x', active: true })
  assert.deepEqual([created.displayName, created.externalId, created.password], ['Omar Diaz', '00ujl', undefined])
})

test('users that exist already are found by user name and email in any case, and by externalId', async () => {
  const { email } = ann.credentials
  await scim.patch(`/Users/${ann.id}`, { op: 'add', path: 'externalId', value: 'ext-ann' })
  for (const filter of [
    `userName eq "${email.toUpperCase()}"`,
    'externalId eq "ext-ann"',
    `emails[type eq "work"].value eq "${email}"`,
    `emails.value eq "${email}"`,
    `id eq "${ann.id}" and userName eq "${email}"`,
    `urn:ietf:params:scim:schemas:core:2.0:User:userName eq "${email}"`,
  ]) {
    const { Resources } = await scim.find('Users', filter)
    assert.deepEqual(
      Resources.map(({ id }: { id: string }) => id),
      [String(ann.id)],
      filter,
    )
  }
  assert.equal((await scim.find('Users', `id eq "${ann.id}" and userName eq "other"`)).totalResults, 0)
})

test('a list has pages, in the order of ids, without bots', async () => {
  const bot = await world.add('robo', 400, { bot_type: 1, bot_owner_id: ann.id })
  const all = await scim.does('GET', '/Users?count=200')
  const ids = all.Resources.map(({ id }: { id: string }) => Number(id))
  assert.equal(all.totalResults, ids.length)
  assert.ok(!ids.includes(bot.id))
  const second = await scim.does('GET', '/Users?startIndex=3&count=2&attributes=userName')
  assert.deepEqual(
    second.Resources.map(({ id }: { id: string }) => Number(id)),
    ids.slice(2, 4),
  )
  assert.deepEqual(Object.keys(second.Resources[0]).sort(), ['id', 'schemas', 'userName'])
  assert.equal((await scim.does('GET', '/Users?count=0')).Resources.length, 0)
})

/** The forms in which providers write one change, and what the user is then. */
const patches: Record<string, [operations: object[], expected: object]> = {
  'Entra replaces the name, with a capital': [
    [{ op: 'Replace', path: 'displayName', value: 'Pat New' }],
    { displayName: 'Pat New' },
  ],
  'Entra adds a name without a path, with paths as keys': [
    [{ op: 'Add', value: { 'name.givenName': 'Pat', 'name.familyName': 'Ray', [`${enterprise}:department`]: 'x' } }],
    { displayName: 'Pat Ray', name: { formatted: 'Pat Ray', givenName: 'Pat', familyName: 'Ray' } },
  ],
  'Entra replaces the email for work': [
    [{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'pat2@acme.test' }],
    { emails: [{ value: 'pat2@acme.test', type: 'work', primary: true }], userName: 'pat@acme.test' },
  ],
  'Entra replaces the primary email': [
    [{ op: 'Replace', path: 'emails[primary eq "True"].value', value: 'pat3@acme.test' }],
    { emails: [{ value: 'pat3@acme.test', type: 'work', primary: true }] },
  ],
  'Entra changes attributes that we do not store': [
    [
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '1' },
      { op: 'Add', path: 'addresses[type eq "work"].formatted', value: 'x' },
      { op: 'Replace', path: `${enterprise}:manager`, value: '7' },
      { op: 'Replace', path: 'title', value: 'Boss' },
      { op: 'Replace', path: 'emails[type eq "home"].value', value: 'home@acme.test' },
    ],
    { emails: [{ value: 'pat@acme.test', type: 'work', primary: true }] },
  ],
  'Entra replaces the user name, which was the email': [
    [{ op: 'Replace', path: 'userName', value: 'pat4@acme.test' }],
    { userName: 'pat4@acme.test', emails: [{ value: 'pat4@acme.test', type: 'work', primary: true }] },
  ],
  'Okta replaces without a path': [
    [{ op: 'replace', value: { displayName: 'Pat Okta', name: { givenName: 'Pat', familyName: 'Okta' } } }],
    { displayName: 'Pat Okta' },
  ],
  'characters that names cannot have are left out': [
    [{ op: 'replace', path: 'displayName', value: '**Pat** <pat@x>' }],
    { displayName: 'Pat <pat x' },
  ],
  'a long name is cut between characters': [
    [{ op: 'replace', path: 'displayName', value: `P${'😀'.repeat(120)}` }],
    { displayName: `P${'😀'.repeat(99)}` },
  ],
  'a name that is too short does not count': [
    [{ op: 'replace', path: 'displayName', value: '😀' }],
    { displayName: 'User pat' },
  ],
  'externalId is removed': [[{ op: 'remove', path: 'externalId' }], { externalId: undefined }],
}
let count = 0
for (const [name, [operations, expected]] of Object.entries(patches))
  test(`PATCH: ${name}`, async () => {
    const { id } = await scim.createUser('pat@acme.test', { externalId: 'p', displayName: 'Pat Old' })
    const patched = await scim.patch(`/Users/${id}`, ...operations)
    const shown = Object.fromEntries(Object.keys(expected).map((key) => [key, patched[key]]))
    assert.deepEqual(shown, expected)
    const free = `free-${++count}@acme.test`
    await scim.patch(`/Users/${id}`, { op: 'replace', value: { userName: free, emails: [{ value: free }] } })
  })

test('PUT replaces what the provider says, and leaves a user active who is not mentioned as inactive', async () => {
  const { id } = await scim.createUser('quinn@acme.test', { externalId: 'q', displayName: 'Quinn' })
  const body = { schemas: [user], id, userName: 'quinn@acme.test', name: { givenName: 'Quinn', familyName: 'Moss' } }
  const { displayName, externalId, active } = await scim.does('PUT', `/Users/${id}`, body)
  assert.deepEqual([displayName, externalId, active], ['Quinn Moss', undefined, true])
})

for (const [name, value] of Object.entries({ lea: false, leo: 'False', lin: 'false' }))
  test(`active ${JSON.stringify(value)} ends everything at once; true gives access back with a new key`, async () => {
    const member = await world.add(name)
    const leave = () => scim.patch(`/Users/${member.id}`, { op: 'Replace', path: 'active', value })
    await verifyEvents([ann], async () => assert.equal((await leave()).active, false))
    assert.equal((await member.isRefused(getOwnUser)).status, 401)
    const { full_name } = (await olga.does(getUsers)).members.find(({ user_id }) => user_id === member.id)!
    assert.equal(full_name, member.name)

    const back = () => scim.patch(`/Users/${member.id}`, { op: 'replace', value: { active: true } })
    await verifyEvents([ann], async () => assert.equal((await back()).active, true))
    await renewKeys(world, member)
    await member.does(getOwnUser)
  })

test('a deleted user is deactivated, gone for the provider, and comes back when it is created again', async () => {
  const { id } = await scim.createUser('rita@acme.test', { displayName: 'Rita' })
  assert.equal((await scim.request('DELETE', `/Users/${id}`)).status, 204)
  assert.equal(await scim.isRefused('GET', `/Users/${id}`), '404')
  assert.equal(await scim.isRefused('DELETE', `/Users/${id}`), '404')
  assert.equal((await scim.find('Users', 'userName eq "rita@acme.test"')).totalResults, 0)
  const again = await scim.createUser('rita@acme.test', { displayName: 'Rita Again' })
  assert.deepEqual([again.id, again.active, again.displayName], [id, true, 'Rita Again'])
})

test('a user can be created without access', async () => {
  const { id, active } = await scim.createUser('sam@acme.test', { active: 'False' })
  assert.equal(active, false)
  assert.equal((await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } })).active, true)
})

test('a user name or email that another user has is refused', async () => {
  const taken = ben.credentials.email
  const more = { schemas: [user] }
  assert.equal(await scim.isRefused('POST', '/Users', { ...more, userName: taken.toUpperCase() }), '409 uniqueness')
  const bot = await world.add('robo2', 400, { bot_type: 1, bot_owner_id: ann.id })
  assert.equal(await scim.isRefused('POST', '/Users', { ...more, userName: bot.credentials.email }), '409 uniqueness')
  const emails = [{ value: taken }]
  assert.equal(await scim.isRefused('POST', '/Users', { ...more, userName: 'free', emails }), '409 uniqueness')
  const { id } = await scim.createUser('tess@acme.test')
  for (const value of [{ userName: taken }, { emails }]) {
    const body = patchOf([{ op: 'replace', value }])
    assert.equal(await scim.isRefused('PATCH', `/Users/${id}`, body), '409 uniqueness')
  }
})

test('of two concurrent requests to create one user, one is refused', async () => {
  const body = { schemas: [user], userName: 'uma@acme.test' }
  const answers = await Promise.all([1, 2].map(() => scim.request('POST', '/Users', body)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [
    201,
    answers.find(({ status }) => status >= 400)!.status,
  ])
  assert.ok(answers.every(({ status }) => status < 500))
})

test('the last owner cannot be deactivated or deleted in any way, another owner can', async () => {
  const off = patchOf([{ op: 'Replace', path: 'active', value: 'False' }])
  const put = { schemas: [user], userName: olga.credentials.email, active: false }
  assert.equal(await scim.isRefused('PATCH', `/Users/${olga.id}`, off), '400 invalidValue')
  assert.equal(await scim.isRefused('PUT', `/Users/${olga.id}`, put), '400 invalidValue')
  assert.equal(await scim.isRefused('DELETE', `/Users/${olga.id}`), '400 invalidValue')
  await olga.does(getOwnUser)
  const second = await world.add('otto', 100)
  await scim.does('DELETE', `/Users/${second.id}`)
})

test('the email of an owner is not changed: with it would come the password', async () => {
  const body = patchOf([{ op: 'replace', path: 'emails', value: [{ value: 'evil@acme.test' }] }])
  assert.equal(await scim.isRefused('PATCH', `/Users/${olga.id}`, body), '400 mutability')
  const same = { schemas: [user], userName: olga.credentials.email.toUpperCase(), displayName: 'Olga B' }
  assert.equal((await scim.does('PUT', `/Users/${olga.id}`, same)).displayName, 'Olga B')
})

test('a guest stays a guest, and roles do not come from the provider', async () => {
  await scim.patch(`/Users/${gus.id}`, { op: 'Add', path: 'roles', value: [{ value: 'owner' }] })
  const { members } = await olga.does(getUsers)
  assert.equal(members.find(({ user_id }) => user_id === gus.id)!.role, 600)
})

test('a provider does not lift a suspension, and an account that it ends does not return by one', async () => {
  const { id } = await world.add('suspended')
  const path = { user_id: id }
  const until = Math.floor(Date.now() / 1000) + 3600
  const setActive = (active: boolean) => scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: active })
  await adam.does(suspendUser, { path, until })
  assert.equal((await setActive(true)).active, false)
  await setActive(false)
  assert.deepEqual((await adam.does(getSuspensions)).suspensions, [])
  assert.equal((await setActive(true)).active, true)
})
