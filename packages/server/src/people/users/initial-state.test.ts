import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { registerParts } from '@parley/api/delivery/register'
import { newWorld } from '../../testing/world.ts'

const only = { fetch_event_types: ['realm_user'] }

test('active and deactivated people are listed apart, by id, without is_active', async () => {
  const { ann, ben, add, ctx } = await newWorld()
  const bot = await add('helper', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', ben.id).execute()

  const state = await ann.registers(only)

  const users = state.realm_users!
  const gone = state.realm_non_active_users!
  assert.equal(users.length, 6)
  assert.deepEqual(
    gone.map(({ user_id }) => user_id),
    [ben.id],
  )
  assert.ok([...users, ...gone].every((user) => !('is_active' in user)))
  assert.deepEqual(users.find(({ user_id }) => user_id === ann.id)?.profile_data, {})
  assert.equal('profile_data' in users.find(({ user_id }) => user_id === bot.id)!, false)
})

test('the system bots are the cross-realm bots', async () => {
  const { ann, host } = await newWorld()
  const { cross_realm_bots } = await ann.registers(only)
  const bots = cross_realm_bots!
  assert.deepEqual(bots.map(({ email }) => email).sort(), [
    `emailgateway@${host}`,
    `notification-bot@${host}`,
    `welcome-bot@${host}`,
  ])
  for (const bot of bots) {
    assert.deepEqual([bot.is_system_bot, bot.is_bot, bot.is_active, bot.bot_owner_id], [true, true, true, null])
    assert.equal(typeof bot.avatar_url, 'string')
    assert.equal('profile_data' in bot, false)
  }
})

test('pictures that clients can compute themselves are left to those who ask for it', async () => {
  const { ann } = await newWorld()
  const computed = await ann.registers({ ...only, client_gravatar: true })
  const given = await ann.registers({ ...only, client_gravatar: false })
  assert.ok(computed.realm_users!.every(({ avatar_url }) => avatar_url === null))
  assert.ok(given.realm_users!.every(({ avatar_url }) => typeof avatar_url === 'string'))
  assert.equal(typeof computed.avatar_url, 'string')
})

test('each role learns what it is and may do', async () => {
  const { olga, adam, mona, ann, gus } = await newWorld()
  const seen = []
  for (const actor of [olga, adam, mona, ann, gus]) {
    const state = await actor.registers(only)
    assert.equal(state.user_id, actor.id)
    assert.equal(state.delivery_email, actor.credentials.email)
    seen.push([
      [state.is_owner, state.is_admin, state.is_moderator, state.is_guest],
      [state.can_create_public_streams, state.can_create_web_public_streams, state.can_invite_others_to_realm],
    ])
  }
  assert.deepEqual(seen, [
    [
      [true, true, false, false],
      [true, false, true],
    ],
    [
      [false, true, false, false],
      [true, false, true],
    ],
    [
      [false, false, true, false],
      [true, false, true],
    ],
    [
      [false, false, false, false],
      [true, false, true],
    ],
    [
      [false, false, false, true],
      [false, false, false],
    ],
  ])
})

test('own settings have their defaults until they are set', async () => {
  const { ann, ctx } = await newWorld()
  await ctx.db.updateTable('users').set({ settings: '{"emojiset": "text"}' }).where('id', '=', ann.id).execute()

  const { user_settings: settings } = await ann.registers({ fetch_event_types: ['user_settings'] })

  assert.equal(settings?.emojiset, 'text')
  assert.equal(settings?.presence_enabled, true)
  assert.equal(settings?.timezone, '')
  assert.equal(settings?.emojiset_choices.length, 3)
})

test('the defaults for new accounts are all settings but the time zone', async () => {
  const { ann } = await newWorld()
  const state = await ann.registers({ fetch_event_types: ['realm_user_settings_defaults', 'user_settings'] })
  const { timezone, ...own } = state.user_settings!
  assert.equal(timezone, '')
  assert.deepEqual(state.realm_user_settings_defaults, own)
})

test('clients that do not know user_settings get the older settings at the top level', async () => {
  const { ann } = await newWorld()
  const parts = ['update_display_settings', 'update_global_notifications'] as const
  const fields = parts.flatMap((part) => Object.keys(registerParts[part]))

  const older = await ann.registers({ fetch_event_types: [...parts], client_capabilities: undefined })
  const newer = await ann.registers({
    fetch_event_types: [...parts],
    client_capabilities: { notification_settings_null: true, user_settings_object: true },
  })

  assert.deepEqual(
    fields.filter((name) => !(name in older)),
    [],
  )
  assert.equal((older as Record<string, unknown>).enable_desktop_notifications, true)
  assert.equal(older.timezone, '')
  assert.deepEqual(
    fields.filter((name) => name in newer),
    [],
  )
})
