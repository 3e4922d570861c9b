import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUserGroup, getUserGroups } from '@parley/api/organization/groups'
import { updateRealm } from '@parley/api/organization/realm'
import { inChannel } from '../../testing/channels.ts'
import { patchOf, ScimClient } from '../../testing/peers/scim-client.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld } from '../../testing/world.ts'

const world = await newWorld()
const { adam, ann, ben, mona, olga } = world
const scim = await ScimClient.open(world)
const schema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

async function membersOf(id: string | number): Promise<number[]> {
  const { user_groups } = await olga.does(getUserGroups)
  return user_groups.find((group) => group.id === Number(id))!.members
}

test('Entra creates a group without members, and finds it without its members', async () => {
  const create = { schemas: [schema, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'] }
  const group = { ...create, externalId: 'e-1', displayName: 'Sales', meta: { resourceType: 'Group' } }
  let id = ''
  await verifyEvents([ann, adam], async () => {
    id = (await scim.does('POST', '/Groups', group)).id
  })
  const found = await scim.find('Groups', 'displayName eq "sales"', '&excludedAttributes=members')
  assert.deepEqual(
    found.Resources.map(({ meta: _, ...shown }: { meta: object }) => shown),
    [{ schemas: [schema], id, externalId: 'e-1', displayName: 'Sales' }],
  )
  assert.equal((await scim.find('Groups', 'externalId eq "e-1"')).totalResults, 1)
})

test('members are added and removed in the forms of Entra and Okta, and repeating it changes nothing', async () => {
  const { id } = await scim.createGroup('Forms', [ann.id])
  const url = `/Groups/${id}`
  const entra = (op: string, user: { id: number }) => ({
    op,
    path: 'members',
    value: [{ $ref: null, value: `${user.id}` }],
  })
  await verifyEvents([ann], () => scim.patch(url, entra('Add', ben)))
  await scim.patch(url, entra('Add', ben))
  assert.deepEqual(await membersOf(id), [ann.id, ben.id])
  await verifyEvents([ann], () => scim.patch(url, entra('Remove', ann)))
  await scim.patch(url, entra('Remove', ann))
  assert.deepEqual(await membersOf(id), [ben.id])
  const okta = [
    { op: 'remove', path: `members[value eq "${ben.id}"]` },
    { op: 'add', path: 'members', value: [{ value: String(mona.id), display: 'mona' }] },
  ]
  await scim.patch(url, ...okta)
  assert.deepEqual(await membersOf(id), [mona.id])
  await scim.patch(url, { op: 'replace', value: { id, displayName: 'Forms 2', members: [{ value: `${ann.id}` }] } })
  assert.deepEqual(await membersOf(id), [ann.id])
  await scim.patch(url, { op: 'remove', path: 'members' })
  assert.deepEqual(await membersOf(id), [])
})

test('a member is found in a group as Entra asks for it', async () => {
  const { id } = await scim.createGroup('Checked', [ann.id])
  const found = async (filter: string) => (await scim.find('Groups', filter)).totalResults
  assert.equal(await found(`id eq "${id}" and members eq "${ann.id}"`), 1)
  assert.equal(await found(`id eq "${id}" and members[value eq "${ben.id}"]`), 0)
})

test('PUT replaces the name and all members', async () => {
  const { id } = await scim.createGroup('Before', [ann.id, ben.id])
  const members = [ben.id, mona.id].map((value) => ({ value: String(value) }))
  const body = { schemas: [schema], displayName: 'After', members }
  await verifyEvents([ann], () => scim.does('PUT', `/Groups/${id}`, body))
  const { displayName, members: shown } = await scim.does('GET', `/Groups/${id}`)
  assert.equal(displayName, 'After')
  assert.deepEqual(
    shown.map(({ value }: { value: string }) => Number(value)),
    [mona.id, ben.id],
  )
})

test('bots are not the business of the provider: they stay in the group', async () => {
  const bot = await world.add('robo', 400, { bot_type: 1, bot_owner_id: ann.id })
  const { group_id } = await olga.does(createUserGroup, { name: 'mixed', description: '', members: [ann.id, bot.id] })
  await scim.patch(`/Groups/${group_id}`, { op: 'replace', path: 'members', value: [{ value: String(ben.id) }] })
  assert.deepEqual(
    await membersOf(group_id),
    [ben.id, bot.id].sort((a, b) => a - b),
  )
})

test('a group can be changed while a member is deactivated, who then returns without it', async () => {
  const [leaver, joiner] = [await world.add('lena'), await world.add('jon')]
  const { id } = await scim.createGroup('Moving', [leaver.id])
  for (const one of [leaver, joiner])
    await scim.patch(`/Users/${one.id}`, { op: 'replace', path: 'active', value: false })
  await scim.patch(`/Groups/${id}`, { op: 'remove', path: `members[value eq "${leaver.id}"]` })
  await scim.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: String(joiner.id) }] })
  await verifyEvents([ann], async () => {
    for (const one of [leaver, joiner])
      await scim.patch(`/Users/${one.id}`, { op: 'replace', path: 'active', value: true })
  })
  assert.deepEqual(await membersOf(id), [joiner.id])
})

test('members see the channels that the group opens', async () => {
  const { id } = await scim.createGroup('Openers')
  await inChannel('vault', [olga], { invite_only: true, can_subscribe_group: Number(id) })
  await verifyEvents([ann], () =>
    scim.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: `${ann.id}` }] }),
  )
})

test('a deleted group is deactivated, and its name stays taken', async () => {
  const { id } = await scim.createGroup('Short', [ann.id])
  await verifyEvents([ann], async () => assert.equal((await scim.request('DELETE', `/Groups/${id}`)).status, 204))
  assert.equal(await scim.isRefused('GET', `/Groups/${id}`), '404')
  const again = { schemas: [schema], displayName: 'Short' }
  assert.equal(await scim.isRefused('POST', '/Groups', again), '409 uniqueness')
})

test('a group that a permission needs is not deleted', async () => {
  const { id } = await scim.createGroup('Needed', [ann.id])
  await olga.does(updateRealm, { can_create_groups: { new: Number(id) } })
  assert.equal(await scim.isRefused('DELETE', `/Groups/${id}`), '400 mutability')
})

test('system groups can be neither seen nor changed, and no group can pretend to be one', async () => {
  const { user_groups } = await olga.does(getUserGroups)
  const owners = user_groups.find(({ name }) => name === 'role:owners')!
  const join = patchOf([{ op: 'add', path: 'members', value: [{ value: String(ann.id) }] }])
  assert.equal(await scim.isRefused('GET', `/Groups/${owners.id}`), '404')
  assert.equal(await scim.isRefused('PATCH', `/Groups/${owners.id}`, join), '404')
  assert.equal(await scim.isRefused('PUT', `/Groups/${owners.id}`, { schemas: [schema], displayName: 'x' }), '404')
  assert.equal(await scim.isRefused('DELETE', `/Groups/${owners.id}`), '404')
  assert.equal((await scim.find('Groups', 'displayName eq "role:owners"')).totalResults, 0)
  const posing = { schemas: [schema], displayName: 'role:kings' }
  assert.equal(await scim.isRefused('POST', '/Groups', posing), '400 invalidValue')
})

test('unknown members, groups within groups, names in use and unknown attributes are refused', async () => {
  const { id } = await scim.createGroup('Strict')
  await scim.createGroup('Taken')
  const refused = (operation: object) => scim.isRefused('PATCH', `/Groups/${id}`, patchOf([operation]))
  assert.equal(await refused({ op: 'add', path: 'members', value: [{ value: '999999999' }] }), '400 invalidValue')
  assert.equal(await refused({ op: 'add', path: 'members', value: [{ value: 'ann' }] }), '400 invalidValue')
  assert.equal(await refused({ op: 'add', path: 'members', value: [{ value: id, type: 'Group' }] }), '400 invalidValue')
  assert.equal(await refused({ op: 'replace', path: 'displayName', value: 'Taken' }), '409 uniqueness')
  assert.equal(await refused({ op: 'remove', path: 'displayName' }), '400 invalidValue')
  assert.equal(await refused({ op: 'replace', path: 'owner', value: '1' }), '400 invalidPath')
})
