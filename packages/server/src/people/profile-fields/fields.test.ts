import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/people/profile-fields'
import { getUser } from '@parley/api/people/users'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { restrictGuests } from '../../testing/configure-realm.ts'
import { legacyClient, verifyEvents } from '../../testing/verify-events.ts'
import { newWorld } from '../../testing/world.ts'

const list = async (actor: Actor) => (await actor.does(api.getProfileFields)).custom_fields
const makes = async (actor: Actor, params: object) => (await actor.does(api.createProfileField, params)).id
const choices = { a: { text: 'Apple', order: '1' }, b: { text: 'Pear', order: '2' } }

async function profile(viewer: Actor, of: Actor) {
  const { user } = await viewer.does(getUser, { path: { user_id: of.id }, include_custom_profile_fields: true })
  return user.profile_data
}

test('fields of every type can be created, are listed in order, and are emitted to everyone', async () => {
  const { adam, gus } = await newWorld()
  await gus.registers()
  const ids = [
    await makes(adam, { field_type: 1, name: ' Motto ', hint: 'short' }),
    await makes(adam, { field_type: 2, name: 'Life' }),
    await makes(adam, { field_type: 3, name: 'Fruit', field_data: choices }),
    await makes(adam, { field_type: 4, name: 'Birthday', display_in_profile_summary: true }),
    await makes(adam, { field_type: 5, name: 'Page' }),
    await makes(adam, { field_type: 6, name: 'Mentor', required: true, editable_by_user: false }),
    await makes(adam, { field_type: 7, field_data: { subtype: 'github' } }),
    await makes(adam, {
      field_type: 7,
      name: 'Forge',
      field_data: { subtype: 'custom', url_pattern: 'https://forge.example/%(username)s' },
    }),
    await makes(adam, { field_type: 8, name: 'Pronouns' }),
  ]
  const fields = await list(gus)
  assert.deepEqual(
    fields.map(({ id, order }) => [id, order]),
    ids.map((id, index) => [id, index + 1]),
  )
  assert.deepEqual(fields[0], {
    id: ids[0],
    name: 'Motto',
    type: 1,
    hint: 'short',
    field_data: '',
    order: 1,
    required: false,
    editable_by_user: true,
  })
  assert.equal(fields[2]!.field_data, JSON.stringify(choices))
  assert.equal(fields[3]!.display_in_profile_summary, true)
  assert.deepEqual(
    [fields[6]!.name, fields[6]!.hint, fields[6]!.field_data],
    ['GitHub username', '', '{"subtype":"github"}'],
  )
  const received = await gus.receives('custom_profile_fields')
  assert.deepEqual(received.at(-1)!.fields, fields)
})

test('only administrators may create, update, order and delete fields', async () => {
  const { adam, mona, ann } = await newWorld()
  const id = await makes(adam, { field_type: 1, name: 'Motto' })
  for (const actor of [mona, ann]) {
    for (const [operation, params] of [
      [api.createProfileField, {}],
      [api.reorderProfileFields, {}],
      [api.updateProfileField, { path: { field_id: id } }],
      [api.deleteProfileField, { path: { field_id: id } }],
    ] as const)
      assert.equal((await actor.isRefused(operation as never, params)).code, 'UNAUTHORIZED_PRINCIPAL')
  }
})

test('invalid fields are refused', async () => {
  const { adam } = await newWorld()
  await makes(adam, { field_type: 1, name: 'Motto' })
  const wrong = [
    { field_type: 9, name: 'x' },
    { field_type: 1, name: ' ' },
    { field_type: 1 },
    { field_type: 1, name: 'x'.repeat(41) },
    { field_type: 1, name: 'x', hint: 'x'.repeat(81) },
    { field_type: 1, name: 'Motto' },
    { field_type: 3, name: 'x' },
    { field_type: 3, name: 'x', field_data: {} },
    { field_type: 3, name: 'x', field_data: { a: { text: ' ', order: '1' } } },
    { field_type: 3, name: 'x', field_data: { a: { text: 'A', order: '1' }, b: { text: 'A', order: '2' } } },
    { field_type: 3, name: 'x', field_data: { a: { text: 'A' } } },
    { field_type: 6, name: 'x', display_in_profile_summary: true },
    { field_type: 2, name: 'x', display_in_profile_summary: true },
    { field_type: 7, name: 'x' },
    { field_type: 7, name: 'x', field_data: { subtype: 'nowhere' } },
    { field_type: 7, name: 'x', field_data: { subtype: 'custom' } },
    { field_type: 7, name: 'x', field_data: { subtype: 'custom', url_pattern: 'https://x.example/' } },
    { field_type: 7, name: 'x', field_data: { subtype: 'custom', url_pattern: 'javascript:%(username)s' } },
  ]
  for (const one of wrong) await adam.isRefused(api.createProfileField, one)
  assert.equal((await list(adam)).length, 1)
})

test('at most two fields are in the summary', async () => {
  const { adam } = await newWorld()
  const ids = []
  for (const name of ['a', 'b']) ids.push(await makes(adam, { field_type: 1, name, display_in_profile_summary: true }))
  await adam.isRefused(api.createProfileField, { field_type: 1, name: 'c', display_in_profile_summary: true })
  const third = await makes(adam, { field_type: 1, name: 'c' })
  await adam.isRefused(api.updateProfileField, { path: { field_id: third }, display_in_profile_summary: true })
  await adam.does(api.updateProfileField, { path: { field_id: ids[0]! }, display_in_profile_summary: false })
  await adam.does(api.updateProfileField, { path: { field_id: third }, display_in_profile_summary: true })
})

test('a field can be updated; for a well-known site only its flags can', async () => {
  const { adam } = await newWorld()
  const id = await makes(adam, { field_type: 1, name: 'Motto' })
  const preset = await makes(adam, { field_type: 7, field_data: { subtype: 'github' } })
  await adam.does(api.updateProfileField, { path: { field_id: id }, name: 'Maxim', hint: 'wise', required: true })
  const [field] = await list(adam)
  assert.deepEqual([field!.name, field!.hint, field!.required], ['Maxim', 'wise', true])
  await adam.isRefused(api.updateProfileField, { path: { field_id: id }, name: 'GitHub username' })
  await adam.isRefused(api.updateProfileField, { path: { field_id: preset }, name: 'Hub' })
  const { name, hint } = (await list(adam))[1]!
  const same = { name, hint, field_data: { subtype: 'github' } }
  await adam.does(api.updateProfileField, { path: { field_id: preset }, required: true, ...same })
  await adam.isRefused(api.updateProfileField, { path: { field_id: preset }, field_data: { subtype: 'gitlab' } })
  await adam.isRefused(api.updateProfileField, { path: { field_id: 999_999_999 }, name: 'x' })
})

test('an order must contain every field once; otherwise nothing changes', async () => {
  const { adam, ann } = await newWorld()
  const elsewhere = await newWorld()
  const foreign = await makes(elsewhere.adam, { field_type: 1, name: 'a' })
  const [a, b, c] = [
    await makes(adam, { field_type: 1, name: 'a' }),
    await makes(adam, { field_type: 1, name: 'b' }),
    await makes(adam, { field_type: 1, name: 'c' }),
  ]
  assert.equal((await adam.isRefused(api.reorderProfileFields, {})).code, 'REQUEST_VARIABLE_MISSING')
  for (const order of [[], [a, b], [a, b, b], [a, b, c, c], [a, b, foreign], ['a'], 'x'])
    assert.equal((await adam.isRefused(api.reorderProfileFields, { order })).code, 'BAD_REQUEST')
  const places = async () => (await list(ann)).map(({ id, order }) => [id, order])
  assert.deepEqual(await places(), [
    [a, 1],
    [b, 2],
    [c, 3],
  ])
  await ann.registers()
  await adam.does(api.reorderProfileFields, { order: [foreign, c, 999_999_999, a, b] })
  assert.deepEqual(await places(), [
    [c, 0],
    [a, 1],
    [b, 2],
  ])
  await adam.does(api.reorderProfileFields, { order: [c, a, b] })
  assert.equal((await ann.receives('custom_profile_fields')).length, 2)
})

test('values are validated by field type, stored as text, and rendered if they are Markdown', async () => {
  const { adam, ann, ben, olga, add } = await newWorld()
  const bot = await add('robo', 400, { bot_type: 1, bot_owner_id: ann.id })
  const motto = await makes(adam, { field_type: 1, name: 'Motto' })
  const life = await makes(adam, { field_type: 2, name: 'Life' })
  const fruit = await makes(adam, { field_type: 3, name: 'Fruit', field_data: choices })
  const birthday = await makes(adam, { field_type: 4, name: 'Birthday' })
  const page = await makes(adam, { field_type: 5, name: 'Page' })
  const mentor = await makes(adam, { field_type: 6, name: 'Mentor' })
  const wrong: [number, unknown][] = [
    [motto, 'x'.repeat(51)],
    [motto, [1]],
    [life, 'x'.repeat(501)],
    [fruit, 'c'],
    [fruit, 'toString'],
    [birthday, '2001-02-30'],
    [birthday, 'yesterday'],
    [page, 'javascript:alert(1)'],
    [page, 'nowhere'],
    [mentor, [999_999_999]],
    [mentor, [bot.id]],
    [mentor, 'olga'],
    [999_999_999, 'x'],
  ]
  for (const [id, value] of wrong)
    await ann.isRefused(api.updateProfileData, {
      data: [
        { id: motto, value: 'never' },
        { id, value },
      ],
    })
  assert.deepEqual(await profile(ben, ann), {})
  await ann.does(api.updateProfileData, {
    data: [
      { id: motto, value: '**carpe** diem' },
      { id: life, value: 'long' },
      { id: fruit, value: 'a' },
      { id: birthday, value: '2001-02-28' },
      { id: page, value: 'https://ann.example/' },
      { id: mentor, value: [olga.id] },
    ],
  })
  assert.deepEqual(await profile(ben, ann), {
    [motto]: { value: '**carpe** diem', rendered_value: '<p><strong>carpe</strong> diem</p>' },
    [life]: { value: 'long', rendered_value: '<p>long</p>' },
    [fruit]: { value: 'a' },
    [birthday]: { value: '2001-02-28' },
    [page]: { value: 'https://ann.example/' },
    [mentor]: { value: JSON.stringify([olga.id]) },
  })
  await ann.does(api.removeProfileData, { data: [motto] })
  await ann.does(api.updateProfileData, {
    data: [
      { id: life, value: '' },
      { id: fruit, value: null },
    ],
  })
  assert.deepEqual(Object.keys((await profile(ben, ann))!).map(Number), [birthday, page, mentor])
  await ann.isRefused(api.removeProfileData, { data: [999_999_999] })
})

test('only administrators can set a field that users cannot edit', async () => {
  const { adam, ann } = await newWorld()
  const id = await makes(adam, { field_type: 1, name: 'Team', editable_by_user: false })
  await ann.isRefused(api.updateProfileData, { data: [{ id, value: 'mine' }] })
  await ann.isRefused(api.removeProfileData, { data: [id] })
  await adam.does(api.updateProfileData, { data: [{ id, value: 'his' }] })
})

test('a restricted guest gets the same answer for a user they may not see and for one that does not exist', async () => {
  const world = await newWorld()
  const { adam, ann, ben, gus } = world
  const id = await makes(adam, { field_type: 6, name: 'Mentor' })
  await inChannel('verona', [ann, gus])
  await restrictGuests(world)
  const refusal = (value: unknown) => gus.isRefused(api.updateProfileData, { data: [{ id, value }] })
  const missing = await refusal([999_999_999])
  for (const value of [[ben.id], [ann.id, ben.id], `[${ben.id}]`]) assert.deepEqual(await refusal(value), missing)
  await gus.does(api.updateProfileData, { data: [{ id, value: [ann.id, gus.id] }] })
})

test('deleting a field deletes its values, and removing a choice clears the values that used it', async () => {
  const { adam, ann, ben } = await newWorld()
  const fruit = await makes(adam, { field_type: 3, name: 'Fruit', field_data: choices })
  const motto = await makes(adam, { field_type: 1, name: 'Motto' })
  await ann.does(api.updateProfileData, {
    data: [
      { id: fruit, value: 'a' },
      { id: motto, value: 'm' },
    ],
  })
  await ben.does(api.updateProfileData, { data: [{ id: fruit, value: 'b' }] })
  await adam.does(api.updateProfileField, { path: { field_id: fruit }, field_data: { b: choices.b } })
  assert.deepEqual(await profile(ben, ben), { [fruit]: { value: 'b' } })
  assert.deepEqual(Object.keys((await profile(ben, ann))!), [String(motto)])
  await adam.does(api.deleteProfileField, { path: { field_id: motto } })
  await adam.isRefused(api.deleteProfileField, { path: { field_id: motto } })
  assert.deepEqual(await profile(ben, ann), {})
})

for (const params of [undefined, legacyClient])
  test(`events are complete: profile fields and values${params ? ' (old client)' : ''}`, async () => {
    const { adam, ann, gus } = await newWorld()
    const id = await makes(adam, { field_type: 1, name: 'Motto' })
    const fruit = await makes(adam, { field_type: 3, name: 'Fruit', field_data: choices })
    const act = async () => {
      await ann.does(api.updateProfileData, {
        data: [
          { id, value: 'x' },
          { id: fruit, value: 'a' },
        ],
      })
      await makes(adam, { field_type: 2, name: 'Life' })
      await adam.does(api.updateProfileField, { path: { field_id: fruit }, field_data: { b: choices.b } })
      await adam.does(api.deleteProfileField, { path: { field_id: id } })
    }
    await verifyEvents([adam, ann, gus], act, params)
  })

test('an account that is identified by a URL accepts only web URLs', async () => {
  const { adam, ann } = await newWorld()
  const field = { field_type: 7 as const, field_data: { subtype: 'mastodon' } }
  const { id } = await adam.does(api.createProfileField, field)
  const says = (value: string) => ({ data: [{ id, value }] })
  for (const value of ['javascript:alert(1)', 'data:text/html,x', 'ann', 'https://example.com/ x'])
    await ann.isRefused(api.updateProfileData, says(value))
  await ann.does(api.updateProfileData, says('https://social.example/@ann'))
})

test('a new field comes last, with a unique position of at least 1', async () => {
  const { adam } = await newWorld()
  const places = async () => (await list(adam)).map(({ order }) => order)
  const create = (name: string) => adam.does(api.createProfileField, { field_type: 1, name })
  const [a, b] = [(await create('a')).id, (await create('b')).id]
  assert.deepEqual(await places(), [1, 2])
  await adam.does(api.reorderProfileFields, { order: [b, a] })
  await adam.does(api.deleteProfileField, { path: { field_id: b } })
  await create('c')
  assert.deepEqual(await places(), [1, 2])
  for (const order of [
    [a, a],
    [a, b, a],
  ])
    await adam.isRefused(api.reorderProfileFields, { order })
})
