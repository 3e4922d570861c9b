import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { subscribe } from '@parley/api/conversations/subscriptions'
import { getEvents, register } from '@parley/api/delivery/queues'
import { createUser, regenerateApiKey } from '@parley/api/identity/accounts'
import { updateRealm } from '@parley/api/organization/realm'
import * as api from '@parley/api/people/own-settings'
import { updatePresence } from '@parley/api/people/presence'
import { getOwnUser, getUser } from '@parley/api/people/users'
import { fetchApiKey } from '@parley/api/server'
import { userSettings } from '@parley/api/settings'
import { transactIn } from '../../../context.ts'
import { hashPassword } from '../../../identity/passwords/passwords.ts'
import { column } from '../../../platform/db/query.ts'
import type { Actor } from '../../../testing/actor.ts'
import { everything, legacyClient, verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld, type World } from '../../../testing/world.ts'
import { grant } from '../actions.ts'

type Settings = Record<string, unknown>

async function settingsOf(actor: Actor): Promise<Settings> {
  const state = await actor.does(register, { fetch_event_types: ['user_settings'] })
  return (state as unknown as { user_settings: Settings }).user_settings
}

/** A value that is allowed and not the default. */
function anotherValue(name: string): unknown {
  const { schema, default: value } = userSettings[name as keyof typeof userSettings]
  const choices = (schema as { enum?: unknown[] }).enum
  if (name === 'quiet_hours') return '19:00-08:00,,,,,,'
  if (name === 'notification_vips') return '1,2'
  if (choices) return choices.find((choice) => choice !== value)
  if (typeof value === 'boolean') return !value
  return typeof value === 'number' ? value + 1 : 'de'
}

const allChanged = Object.fromEntries(Object.keys(userSettings).map((name) => [name, anotherValue(name)]))

test('every setting can be changed and is kept', async () => {
  const { ann } = await newWorld()
  await ann.does(api.updateSettings, allChanged)
  const now = await settingsOf(ann)
  for (const [name, value] of Object.entries(allChanged)) assert.equal(now[name], value, name)
})

test('an invalid value is refused together with all other changes', async () => {
  const { ann } = await newWorld()
  const wrong: Settings = {
    color_scheme: 4,
    emojiset: 'apple',
    enter_sends: 'True',
    web_font_size_px: 100,
    email_notifications_batching_period_seconds: 0,
    notification_sound: 'gong',
    default_language: 'klingon',
    timezone: 'Mars/Olympus',
    web_home_view: 'nowhere',
    email_address_visibility: 6,
  }
  for (const [name, value] of Object.entries(wrong)) {
    const error = await ann.isRefused(api.updateSettings, { twenty_four_hour_time: true, [name]: value })
    assert.equal(error.code, 'BAD_REQUEST', name)
  }
  assert.equal((await settingsOf(ann)).twenty_four_hour_time, false)
})

test('bots have no settings', async () => {
  const { ann, add } = await newWorld()
  const bot = await add('robot', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  assert.equal((await bot.isRefused(api.updateSettings, { enter_sends: true })).code, 'BAD_REQUEST')
})

test('the legacy paths do the same', async () => {
  const { ann } = await newWorld()
  for (const path of ['/settings/display', '/settings/notifications'])
    await ann.does({ ...api.updateSettings, path }, { enter_sends: path.endsWith('display') })
  assert.equal((await settingsOf(ann)).enter_sends, false)
})

test('a change is emitted once, only to the clients of the user, and as legacy events only to clients that need them', async () => {
  const { ann, ben, adam } = await newWorld()
  const modern = { client_capabilities: { notification_settings_null: true, user_settings_object: true } }
  await ann.registers()
  await ben.registers()
  await ann.does(api.updateSettings, { default_language: 'de', enable_sounds: false, hide_ai_features: true })
  await ann.does(api.updateSettings, { default_language: 'de' })
  const events = await ann.receives('user_settings')
  assert.deepEqual(
    events.map(({ property, value, language_name }) => [property, value, language_name]),
    [
      ['default_language', 'de', 'German'],
      ['enable_sounds', false, undefined],
      ['hide_ai_features', true, undefined],
    ],
  )
  const [display] = await ann.receives('update_display_settings')
  assert.deepEqual(
    [display?.setting_name, display?.language_name, display?.user],
    ['default_language', 'German', ann.credentials.email],
  )
  assert.equal((await ann.receives('update_global_notifications'))[0]?.notification_name, 'enable_sounds')
  assert.deepEqual(await ben.receives('user_settings'), [])
  await adam.registers(modern)
  await adam.does(api.updateSettings, { default_language: 'de' })
  assert.deepEqual(
    [(await adam.receives('user_settings')).length, (await adam.receives('update_display_settings')).length],
    [1, 0],
  )
})

test('a new name or time zone is emitted to everyone', async () => {
  const { ann, ben } = await newWorld()
  await ben.registers()
  await ann.does(api.updateSettings, { full_name: 'Anna', timezone: 'Europe/Berlin' })
  assert.deepEqual(
    (await ben.receives('realm_user')).map(({ person }) => person),
    [
      { user_id: ann.id, full_name: 'Anna' },
      { user_id: ann.id, email: ann.credentials.email, timezone: 'Europe/Berlin' },
    ],
  )
  assert.equal((await settingsOf(ann)).timezone, 'Europe/Berlin')
})

test('where names may not be changed, a new name is ignored, except for administrators', async () => {
  const { ann, adam, ctx, realmId } = await newWorld()
  const settings = JSON.stringify({ name_changes_disabled: true, email_changes_disabled: true })
  await ctx.db.updateTable('realms').set({ settings }).where('id', '=', realmId).execute()
  await ann.does(api.updateSettings, { full_name: 'Anna' })
  await adam.does(api.updateSettings, { full_name: 'Adamo' })
  assert.equal((await ann.does(getUser, { path: { user_id: ann.id } })).user.full_name, 'Ann')
  assert.equal((await ann.does(getUser, { path: { user_id: adam.id } })).user.full_name, 'Adamo')
  await ann.isRefused(api.updateSettings, { email: 'anna@x.test' })
})

test('changing the password needs the old one, and a strong new one', async () => {
  const { ann, ctx } = await newWorld()
  const password_hash = await hashPassword('correct horse')
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', ann.id).execute()
  const new_password = 'battery staple'
  await ann.isRefused(api.updateSettings, { old_password: 'wrong', new_password })
  await ann.isRefused(api.updateSettings, { new_password })
  await ann.isRefused(api.updateSettings, { old_password: 'correct horse', new_password: 'password' })
  await ann.does(api.updateSettings, { old_password: 'correct horse', new_password })
  const username = ann.credentials.email
  assert.equal(
    (await ann.isRefused(fetchApiKey, { username, password: 'correct horse' })).code,
    'AUTHENTICATION_FAILED',
  )
  await ann.does(fetchApiKey, { username, password: new_password })
})

test('the user gets a notice after a change of the password', async () => {
  const { ann, ctx } = await newWorld()
  const password_hash = await hashPassword('correct horse')
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', ann.id).execute()
  await ann.does(api.updateSettings, { old_password: 'correct horse', new_password: 'battery staple' })
  const notices = await column<string>(ctx.db)`
    select payload ->> 'template' from jobs.jobs where payload ->> 'user_id' = ${String(ann.id)}`
  assert.deepEqual(notices, ['password_changed'])
})

test('guessing the old password is limited like signing in', async () => {
  const { ben } = await newWorld()
  const codes: string[] = []
  for (let n = 0; n < 6; n++)
    codes.push((await ben.isRefused(api.updateSettings, { old_password: 'x', new_password: 'battery staple' })).code)
  assert.deepEqual([codes[0], codes.at(-1)], ['BAD_REQUEST', 'RATE_LIMIT_HIT'])
})

test('a new password revokes the key and ends the queues; signing in gives a new key', async () => {
  const { ann, ben, ctx } = await newWorld()
  const password_hash = await hashPassword('correct horse')
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', ann.id).execute()
  await ann.registers()
  await ann.does(api.updateSettings, { old_password: 'correct horse', new_password: 'battery staple' })
  assert.equal((await ann.isRefused(getOwnUser)).code, 'UNAUTHORIZED')
  const username = ann.credentials.email
  const { api_key } = await ben.does(fetchApiKey, { username, password: 'battery staple' })
  ann.credentials.key = api_key
  const { code } = await ann.isRefused(getEvents, { queue_id: ann.queueId, last_event_id: -1 })
  assert.equal(code, 'BAD_EVENT_QUEUE_ID')
})

test('a time zone is stored in its canonical spelling', async () => {
  const { ann } = await newWorld()
  for (const timezone of ['', 'EUROPE/BERLIN', 'europe/berlin', '+05:00'])
    assert.equal((await ann.isRefused(api.updateSettings, { timezone })).code, 'BAD_REQUEST', timezone)
  for (const timezone of ['US/Pacific', 'Etc/GMT+5', 'UTC']) await ann.does(api.updateSettings, { timezone })
})

test('a changed email visibility takes effect immediately', async () => {
  const { ann, ben, adam, mona, gus } = await newWorld()
  const seenBy = async (viewer: Actor) =>
    (await viewer.does(getUser, { path: { user_id: ann.id } })).user.delivery_email !== null
  const expected: [1 | 2 | 3 | 4 | 5, boolean[]][] = [
    [2, [true, true, true, false]],
    [5, [true, true, false, false]],
    [3, [true, false, false, false]],
    [4, [false, false, false, false]],
    [1, [true, true, true, true]],
  ]
  for (const [email_address_visibility, seen] of expected) {
    await ann.does(api.updateSettings, { email_address_visibility })
    assert.deepEqual(await Promise.all([adam, mona, ben, gus].map(seenBy)), seen)
    assert.equal(await seenBy(ann), true)
  }
})

test('administrators choose the initial settings of new accounts', async () => {
  const { olga, adam, ann, ctx, realmId, host } = await newWorld()
  assert.equal((await ann.isRefused(api.updateSettingsDefaults, { enter_sends: true })).code, 'UNAUTHORIZED_PRINCIPAL')
  await ann.registers()
  await adam.does(api.updateSettingsDefaults, { enter_sends: true, email_address_visibility: 3 })
  assert.deepEqual(
    (await ann.receives('realm_user_settings_defaults')).map(({ property, value }) => [property, value]),
    [
      ['email_address_visibility', 3],
      ['enter_sends', true],
    ],
  )
  await transactIn(ctx, realmId, (tx) => grant(tx, olga.id, ['can_create_users']))
  const newcomer = { email: `nora@${host}`, password: 'correct horse', full_name: 'Nora' }
  const { user_id } = await olga.does(createUser, newcomer)
  assert.equal((await ann.does(getUser, { path: { user_id } })).user.delivery_email, null)
  const { settings } = await ctx.db
    .selectFrom('users')
    .select('settings')
    .where('id', '=', user_id)
    .executeTakeFirstOrThrow()
  assert.deepEqual(settings, { enter_sends: true, email_address_visibility: 3 })
  assert.equal((await settingsOf(ann)).enter_sends, false)
})

test('new accounts begin with the language of the organization', async () => {
  const { olga, ann, add } = await newWorld()
  await olga.does(updateRealm, { default_language: 'de' })
  assert.equal((await settingsOf(await add('nora'))).default_language, 'de')
  assert.equal((await settingsOf(ann)).default_language, 'en')
})

test('personal data has no default for new accounts', async () => {
  const { adam } = await newWorld()
  const answer = await adam.does(api.updateSettingsDefaults, { default_language: 'de', timezone: 'UTC' } as never)
  assert.deepEqual((answer as { ignored_parameters_unsupported?: string[] }).ignored_parameters_unsupported, [
    'default_language',
    'timezone',
  ])
})

test('a new key replaces the old one and ends its queues', async () => {
  const { ann } = await newWorld()
  await ann.registers()
  const { api_key } = await ann.does(regenerateApiKey)
  assert.equal((await ann.isRefused(register)).code, 'UNAUTHORIZED')
  ann.credentials.key = api_key
  await assert.rejects(ann.reads(), /BAD_EVENT_QUEUE_ID/)
  await ann.does(register)
})

async function populatedWorld(): Promise<World> {
  const world = await newWorld()
  const { ann, ben, gus } = world
  await ann.does(subscribe, { subscriptions: [{ name: 'verona' }], principals: [ann.id, ben.id, gus.id] })
  return world
}

function keepsStateTrue(name: string, act: (world: World) => Promise<unknown>, registration = everything) {
  test(`state after events equals a new state: ${name}`, async () => {
    const world = await populatedWorld()
    const { adam, mona, ann, ben, gus } = world
    await verifyEvents([adam, mona, ann, ben, gus], () => act(world), registration)
  })
}

const { email_address_visibility: _, ...others } = allChanged
const inherited = ['desktop', 'audible', 'push', 'email'].map((kind) => `enable_stream_${kind}_notifications`)
const events = Object.fromEntries(Object.entries(others).filter(([name]) => !inherited.includes(name)))
keepsStateTrue('every setting', ({ ann }) => ann.does(api.updateSettings, { ...others, timezone: 'Asia/Tokyo' }))
keepsStateTrue('every setting, long ago', ({ ann }) => ann.does(api.updateSettings, events), legacyClient)
keepsStateTrue('the name', ({ ann }) => ann.does(api.updateSettings, { full_name: 'Anna' }))
for (const visibility of [2, 3, 4, 5] as const)
  keepsStateTrue(`email visibility ${visibility}, and back`, async ({ ann, ben }) => {
    await ann.does(api.updateSettings, { email_address_visibility: visibility })
    await ben.does(api.updateSettings, { email_address_visibility: visibility })
    await ben.does(api.updateSettings, { email_address_visibility: 1 })
  })
keepsStateTrue('settings of new accounts', ({ adam }) => adam.does(api.updateSettingsDefaults, { enter_sends: true }))
keepsStateTrue('a user turns presence off and on again', async ({ ann }) => {
  await ann.does(updatePresence, { status: 'active' })
  await ann.does(api.updateSettings, { presence_enabled: false })
  await ann.does(api.updateSettings, { presence_enabled: true })
})
keepsStateTrue('a user turns presence off', async ({ ann }) => {
  await ann.does(updatePresence, { status: 'active' })
  await ann.does(api.updateSettings, { presence_enabled: false })
})
