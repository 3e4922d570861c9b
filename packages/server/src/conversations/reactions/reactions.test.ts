import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as messages from '@parley/api/conversations/messages'
import * as api from '@parley/api/conversations/reactions'
import type { Actor } from '../../testing/actor.ts'
import { inChannel, leaves } from '../../testing/channels.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld } from '../../testing/world.ts'

const reacts = (actor: Actor, message_id: number, emoji: object) =>
  actor.does(api.addReaction, { path: { message_id }, ...emoji })
const unreacts = (actor: Actor, message_id: number, emoji: object) =>
  actor.does(api.removeReaction, { path: { message_id }, ...emoji })
const isRefused = (actor: Actor, message_id: number, emoji: object) =>
  actor.isRefused(api.addReaction, { path: { message_id }, ...emoji })

async function reactionsOf(actor: Actor, message_id: number) {
  return (await actor.does(messages.getMessage, { path: { message_id } })).message.reactions
}

async function setUp() {
  const world = await newWorld()
  const { ann, ben, gus } = world
  await inChannel('verona', [ann, ben, gus])
  return { ...world, message: await ann.sends({ channel: 'verona' }) }
}

test('a reaction event reaches the readers of the message and nobody else', async () => {
  const { ann, ben, mona, message } = await setUp()
  for (const one of [ann, mona]) await one.registers()

  await reacts(ben, message, { emoji_name: 'tada' })

  const [event] = await ann.receives('reaction')
  const { id: _, ...rest } = event!
  assert.deepEqual(rest, {
    type: 'reaction',
    op: 'add',
    message_id: message,
    user_id: ben.id,
    user: { user_id: ben.id, email: ben.credentials.email, full_name: 'Ben' },
    emoji_name: 'tada',
    emoji_code: '1f389',
    reaction_type: 'unicode_emoji',
  })
  assert.deepEqual(await mona.receives('reaction'), [])
})

test('a message shows its reactions in the order in which they were added', async () => {
  const { ann, ben, message } = await setUp()
  await reacts(ben, message, { emoji_name: 'tada' })
  await reacts(ann, message, { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' })
  assert.deepEqual(await reactionsOf(ann, message), [
    { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji', user_id: ben.id },
    { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji', user_id: ann.id },
  ])
})

test('the same reaction by the same user is refused', async () => {
  const { ben, message } = await setUp()
  await reacts(ben, message, { emoji_name: 'tada' })
  assert.equal((await isRefused(ben, message, { emoji_name: 'tada' })).code, 'REACTION_ALREADY_EXISTS')
  const sameCode = { emoji_name: 'anything', emoji_code: '1f389', reaction_type: 'unicode_emoji' }
  assert.equal((await isRefused(ben, message, sameCode)).code, 'REACTION_ALREADY_EXISTS')
})

test('a reaction with the code and type of an existing one takes its name', async () => {
  const { ann, ben, message } = await setUp()
  await reacts(ben, message, { emoji_name: 'thumbs_up' })
  const [first] = await reactionsOf(ann, message)
  await reacts(ann, message, { emoji_name: 'nonsense', emoji_code: '1f44d', reaction_type: 'unicode_emoji' })
  const [, vote] = await reactionsOf(ann, message)
  assert.deepEqual(vote, { ...first, user_id: ann.id })
})

test('an emoji that does not exist is refused', async () => {
  const { ben, message } = await setUp()
  for (const emoji of [
    { emoji_name: 'nonsense' },
    { emoji_name: '' },
    { emoji_name: 'tada', emoji_code: '1f44d', reaction_type: 'unicode_emoji' },
    { emoji_name: 'tada', emoji_code: 'zzzz', reaction_type: 'unicode_emoji' },
    { emoji_name: 'tada', emoji_code: '1F389', reaction_type: 'unicode_emoji' },
    { emoji_name: 'tada', emoji_code: 'constructor', reaction_type: 'unicode_emoji' },
    { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'realm_emoji' },
    { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'service_extra_emoji' },
    { emoji_name: 'tada', reaction_type: 'nonsense' },
    { emoji_name: 'tada', reaction_type: 'realm_emoji' },
  ])
    assert.equal((await isRefused(ben, message, emoji)).code, 'BAD_REQUEST', JSON.stringify(emoji))
  assert.equal((await isRefused(ben, message, {})).code, 'REQUEST_VARIABLE_MISSING')
})

test('reactions with the extra emoji count as one, whatever its name', async () => {
  const { ann, ben, message } = await setUp()
  await reacts(ben, message, { emoji_name: 'zulip' })
  const other = { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' }
  assert.equal((await isRefused(ben, message, other)).code, 'REACTION_ALREADY_EXISTS')
  await reacts(ann, message, other)
  const [reaction] = await reactionsOf(ann, message)
  assert.deepEqual(
    [reaction?.emoji_name, reaction?.emoji_code, reaction?.reaction_type],
    ['service', 'service', 'service_extra_emoji'],
  )
})

test("Zulip's clients receive the extra emoji under their own name for it", async () => {
  const { ann, ben, message, app } = await setUp()
  const headers = { ...ann.headers, 'user-agent': 'ZulipMobile/27.1' }
  const { queue_id } = (await app.inject({ method: 'POST', url: '/api/v1/register', headers })).json()
  await ann.registers()
  await reacts(ben, message, { emoji_name: 'zulip' })
  const events = await app.inject({ url: `/api/v1/events?queue_id=${queue_id}&last_event_id=-1`, headers })
  const named = ({ emoji_name, emoji_code, reaction_type }: Record<string, string>) =>
    `${emoji_name} ${emoji_code} ${reaction_type}`
  assert.equal(named(events.json().events[0]), 'zulip zulip zulip_extra_emoji')
  const shown = await app.inject({ url: `/api/v1/messages/${message}`, headers })
  assert.equal(named(shown.json().message.reactions[0]), 'zulip zulip zulip_extra_emoji')
  assert.equal(named((await ann.receives('reaction'))[0] as never), 'service service service_extra_emoji')
})

test('a reaction can be removed by name or by code', async () => {
  const { ann, ben, message } = await setUp()
  await ann.registers()
  await reacts(ben, message, { emoji_name: 'tada' })
  await unreacts(ben, message, { emoji_name: 'tada' })
  await reacts(ben, message, { emoji_name: '+1' })
  await unreacts(ben, message, { emoji_code: '1f44d' })
  await reacts(ben, message, { emoji_name: 'zulip' })
  await unreacts(ben, message, { emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' })
  assert.deepEqual(await reactionsOf(ann, message), [])
  const events = (await ann.receives('reaction')).map(({ op, emoji_name }) => `${op} ${emoji_name}`)
  assert.deepEqual(events, ['add tada', 'remove tada', 'add +1', 'remove +1', 'add service', 'remove service'])
})

test("users cannot remove other users' reactions", async () => {
  const { ann, ben, message } = await setUp()
  await reacts(ben, message, { emoji_name: 'tada' })
  const path = { message_id: message }
  const missing = await ann.isRefused(api.removeReaction, { path, emoji_name: 'tada' })
  assert.equal(missing.code, 'REACTION_DOES_NOT_EXIST')
  assert.equal((await ben.isRefused(api.removeReaction, { path })).code, 'BAD_REQUEST')
  assert.equal((await ben.isRefused(api.removeReaction, { path, emoji_name: 'nonsense' })).code, 'BAD_REQUEST')
})

test('a reaction to an unreadable message fails like one to a message that does not exist', async () => {
  const { ann, ben, gus, mona, adam, message } = await setUp()
  const stranger = (await newWorld()).olga
  const missing = await isRefused(ben, 999_999, { emoji_name: 'tada' })
  await inChannel('den', [ann, ben], { invite_only: true })
  const hidden = await ann.sends({ channel: 'den' })
  const direct = await ann.sends({ to: [ben] })
  await inChannel('padua', [ann])
  const elsewhere = await ann.sends({ channel: 'padua' })
  for (const [actor, id] of [
    [adam, hidden],
    [mona, direct],
    [gus, elsewhere],
    [stranger, message],
  ] as const)
    assert.deepEqual(await isRefused(actor, id, { emoji_name: 'tada' }), missing)
})

test('with protected history, later subscribers can neither react to earlier messages nor see reactions to them', async () => {
  const { ann, ben, mona } = await newWorld()
  await inChannel('vault', [ann, mona], { invite_only: true })
  const early = await ann.sends({ channel: 'vault' })
  await inChannel('vault', [ann, ben], {})
  await ben.registers()
  await mona.registers()
  await isRefused(ben, early, { emoji_name: 'tada' })
  await reacts(ann, early, { emoji_name: 'tada' })
  assert.deepEqual(await ben.receives('reaction'), [])
  assert.equal((await mona.receives('reaction')).length, 1)
})

test('a reaction event for a direct message reaches every participant', async () => {
  const { ann, ben, gus, mona } = await newWorld()
  const message = await ann.sends({ to: [ben, gus] })
  for (const one of [ann, ben, gus, mona]) await one.registers()
  await reacts(gus, message, { emoji_name: 'tada' })
  for (const one of [ann, ben, gus]) assert.equal((await one.receives('reaction')).length, 1)
  assert.deepEqual(await mona.receives('reaction'), [])
})

test("reacting to public history adds the message to the user's messages, as historical and read", async () => {
  const { mona, ann, message } = await setUp()
  await mona.registers()
  await reacts(mona, message, { emoji_name: 'tada' })
  const { message: shown } = await mona.does(messages.getMessage, { path: { message_id: message } })
  assert.deepEqual(shown.flags, ['read', 'historical'])
  assert.equal((await mona.receives('reaction')).length, 1)
  await reacts(ann, message, { emoji_name: '+1' })
  assert.equal((await mona.receives('reaction')).length, 2, 'later reactions reach the user too')
})

test('users who unsubscribed from a public channel get reactions to messages they received', async () => {
  const { ben, ann, message } = await setUp()
  await leaves(ben, 'verona')
  await ben.registers()
  await reacts(ann, message, { emoji_name: 'tada' })
  assert.equal((await ben.receives('reaction')).length, 1)
  const later = await ann.sends({ channel: 'verona' })
  await reacts(ann, later, { emoji_name: 'tada' })
  assert.equal((await ben.receives('reaction')).length, 1)
})

test('reactions in an archived channel are refused', async () => {
  const { ann, ctx, realmId, message } = await setUp()
  await ctx.db.updateTable('channels').set({ is_archived: true }).where('realm_id', '=', realmId).execute()
  ctx.realms.drop(realmId)
  assert.equal((await isRefused(ann, message, { emoji_name: 'tada' })).code, 'BAD_REQUEST')
})

test('guests and bots may react; incoming-webhook bots may not', async () => {
  const { add, ann, gus, message } = await setUp()
  const bot = await add('robot', 400, { bot_type: 1, bot_owner_id: ann.id })
  const hook = await add('hook', 400, { bot_type: 2, bot_owner_id: ann.id })
  await reacts(gus, message, { emoji_name: 'tada' })
  await reacts(bot, message, { emoji_name: 'tada' })
  await isRefused(hook, message, { emoji_name: 'tada' })
})

test('reaction events lead to the same state as a new snapshot', async () => {
  const { ann, ben, mona, gus, message } = await setUp()
  await verifyEvents([ann, ben, mona, gus], async () => {
    await reacts(mona, message, { emoji_name: 'tada' })
    await unreacts(mona, message, { emoji_name: 'tada' })
  })
})
