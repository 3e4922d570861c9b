import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import * as api from '@parley/api/people/users'
import { sql } from 'kysely'
import type { Actor } from '../../testing/actor.ts'
import { newWorld, type World } from '../../testing/world.ts'

async function setSetting({ ctx, realmId }: World, actor: Actor, name: string, value: unknown): Promise<void> {
  await sql`update users set settings = settings || jsonb_build_object(${name}::text, ${JSON.stringify(value)}::jsonb)
             where id = ${actor.id}`.execute(ctx.db)
  ctx.realms.drop(realmId)
}

test('all users are listed by id, including bots and deactivated accounts, but no system bots', async () => {
  const world = await newWorld()
  const { olga, ann, gus, add, ctx } = world
  const bot = await add('helper', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', gus.id).execute()

  const { members } = await ann.does(api.getUsers)

  const listed = members.map(({ user_id }) => user_id)
  assert.equal(members.length, 7)
  assert.deepEqual(
    listed,
    [...listed].sort((a, b) => a - b),
  )
  assert.equal(members.find(({ user_id }) => user_id === gus.id)?.is_active, false)
  assert.equal(members.find(({ user_id }) => user_id === bot.id)?.bot_owner_id, ann.id)
  assert.ok(members.every(({ is_system_bot }) => !is_system_bot))
  assert.equal(members.find(({ user_id }) => user_id === olga.id)?.is_owner, true)
})

test('a user has the fields of the specification', async () => {
  const { ann, olga, host } = await newWorld()

  const { user } = await ann.does(api.getUser, { path: { user_id: olga.id } })

  assert.match(user.date_joined, /^\d{4}-\d\d-\d\dT\d\d:\d\d\+00:00$/)
  assert.deepEqual(
    { ...user, date_joined: '' },
    {
      user_id: olga.id,
      delivery_email: `olga@${host}`,
      email: `olga@${host}`,
      full_name: 'Olga',
      date_joined: '',
      is_active: true,
      is_owner: true,
      is_admin: true,
      is_guest: false,
      is_bot: false,
      bot_type: null,
      bot_owner_id: null,
      role: 100,
      timezone: '',
      avatar_url: null,
      avatar_version: 1,
    },
  )
})

test('avatar_url is set with client_gravatar=false, or if the real email is hidden', async () => {
  const world = await newWorld()
  const { ann, ben, mona } = world
  await setSetting(world, mona, 'email_address_visibility', 4)

  const open = await ann.does(api.getUser, { path: { user_id: ben.id }, client_gravatar: false })
  const hidden = await ann.does(api.getUser, { path: { user_id: mona.id } })

  assert.match(open.user.avatar_url!, /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=1$/)
  assert.match(hidden.user.avatar_url!, /gravatar/)
})

test('viewers who may know a hidden email see its Gravatar, others that of the email they see', async () => {
  const world = await newWorld()
  const { adam, ann, mona, host } = world
  await setSetting(world, mona, 'email_address_visibility', 3)
  const path = { user_id: mona.id }
  const seenBy = async (viewer: Actor, client_gravatar = false) =>
    (await viewer.does(api.getUser, { path, client_gravatar })).user.avatar_url
  const gravatar = (email: string) => new RegExp(`/avatar/${hash('md5', email)}\\?`)

  for (const viewer of [adam, mona]) {
    assert.match((await seenBy(viewer))!, gravatar(`mona@${host}`))
    assert.equal(await seenBy(viewer, true), null)
  }
  assert.match((await seenBy(ann))!, gravatar(`user${mona.id}@${host}`))
  assert.match((await seenBy(ann, true))!, gravatar(`user${mona.id}@${host}`))
})

test('profile data is included on request, and never for bots', async () => {
  const { ann, ben, add } = await newWorld()
  const bot = await add('helper', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  const include_custom_profile_fields = true

  const person = await ann.does(api.getUser, { path: { user_id: ben.id }, include_custom_profile_fields })
  const machine = await ann.does(api.getUser, { path: { user_id: bot.id }, include_custom_profile_fields })
  const { members } = await ann.does(api.getUsers, { include_custom_profile_fields })

  assert.deepEqual(person.user.profile_data, {})
  assert.equal('profile_data' in machine.user, false)
  assert.ok(members.every((user) => 'profile_data' in user === !user.is_bot))
})

/** Who may see an address, by its owner's setting: everyone, members, administrators, nobody, moderators. */
const mayKnow: Record<number, string[]> = {
  1: ['olga', 'adam', 'mona', 'ann', 'gus'],
  2: ['olga', 'adam', 'mona', 'ann'],
  3: ['olga', 'adam'],
  4: [],
  5: ['olga', 'adam', 'mona'],
}

for (const [setting, names] of Object.entries(mayKnow)) {
  test(`with email_address_visibility ${setting} the email is visible to: ${names.join(', ') || 'nobody'}`, async () => {
    const world = await newWorld()
    const { ben, host } = world
    await setSetting(world, ben, 'email_address_visibility', Number(setting))
    for (const name of ['olga', 'adam', 'mona', 'ann', 'gus'] as const) {
      const { user } = await world[name].does(api.getUser, { path: { user_id: ben.id } })
      assert.equal(user.delivery_email, names.includes(name) ? `ben@${host}` : null, name)
      assert.equal(user.email, setting === '1' ? `ben@${host}` : `user${ben.id}@${host}`)
    }
    const { user } = await ben.does(api.getUser, { path: { user_id: ben.id } })
    assert.equal(user.delivery_email, `ben@${host}`)
  })
}

test('a user is found by email in any case, and by the fake email of a hidden one', async () => {
  const { ann, ben, host } = await newWorld()
  for (const email of [`BEN@${host.toUpperCase()}`, `user${ben.id}@${host}`]) {
    const { user } = await ann.does(api.getUserByEmail, { path: { email } })
    assert.equal(user.user_id, ben.id)
  }
})

test('a hidden email is not found, like an unknown one', async () => {
  const world = await newWorld()
  const { ann, ben, adam, host } = world
  await setSetting(world, ben, 'email_address_visibility', 3)

  const hidden = await ann.isRefused(api.getUserByEmail, { path: { email: `ben@${host}` } })
  const unknown = await ann.isRefused(api.getUserByEmail, { path: { email: `nobody@${host}` } })

  assert.deepEqual(hidden, unknown)
  assert.equal(hidden.code, 'BAD_REQUEST')
  assert.equal((await adam.does(api.getUserByEmail, { path: { email: `ben@${host}` } })).user.user_id, ben.id)
  assert.equal((await ann.does(api.getUserByEmail, { path: { email: `user${ben.id}@${host}` } })).user.user_id, ben.id)
})

test('unknown users, system bots and users of other organizations get the same error', async () => {
  const { ann, ctx, realmId } = await newWorld()
  const elsewhere = await newWorld()
  const systemBot = await ctx.db
    .selectFrom('users')
    .select('id')
    .where('realm_id', '=', realmId)
    .where('is_system_bot', '=', true)
    .executeTakeFirstOrThrow()
  const refusals = []
  for (const user_id of [999_999_999, systemBot.id, elsewhere.ann.id])
    refusals.push(await ann.isRefused(api.getUser, { path: { user_id } }))
  refusals.push(await ann.isRefused(api.getUserByEmail, { path: { email: elsewhere.ann.credentials.email } }))

  for (const refusal of refusals) assert.deepEqual(refusal, refusals[0])
  assert.equal(refusals[0]?.code, 'BAD_REQUEST')
  assert.equal(refusals[0]?.status, 400)
})

test('the own account is at the top level, with its avatar, profile data and newest message', async () => {
  const { ann, ben, mona, host } = await newWorld()
  assert.equal((await ann.does(api.getOwnUser)).max_message_id, -1)
  const id = await ben.sends({ to: [ann] })
  await ben.sends({ to: [mona] })

  const self = await ann.does(api.getOwnUser)

  assert.equal(self.user_id, ann.id)
  assert.equal(self.delivery_email, `ann@${host}`)
  assert.match(self.avatar_url!, /^https:/)
  assert.deepEqual(self.profile_data, {})
  assert.equal(self.max_message_id, id)
})

test('without valid credentials no user is returned', async () => {
  const { app, host } = await newWorld()
  const answer = await app.inject({ url: '/api/v1/users', headers: { host } })
  assert.equal(answer.statusCode, 401)
  assert.equal(answer.json().code, 'UNAUTHORIZED')
})
