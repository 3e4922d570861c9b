import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { getChannelMembers } from '@parley/api/conversations/channels'
import { getEvents, register } from '@parley/api/delivery/queues'
import * as api from '@parley/api/identity/accounts'
import { getUserGroups } from '@parley/api/organization/groups'
import { updateRealm } from '@parley/api/organization/realm'
import { getUser } from '@parley/api/people/users'
import { fetchApiKey } from '@parley/api/server'
import type { Grant } from '../../callers/grants.ts'
import { transactIn } from '../../context.ts'
import { grant } from '../../people/users/actions.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { startsWaiting } from '../../testing/waiting-poll.ts'
import { newWorld, renewKeys, type World } from '../../testing/world.ts'

const of = (actor: { id: number }) => ({ path: { user_id: actor.id } })

async function roleOf(viewer: Actor, actor: { id: number }): Promise<number> {
  return (await viewer.does(getUser, of(actor))).user.role
}

async function granting({ ctx, realmId }: World, actor: Actor, ...granted: Grant[]): Promise<void> {
  await transactIn(ctx, realmId, (tx) => grant(tx, actor.id, granted))
}

async function groupsOf(viewer: Actor, id: number): Promise<string[]> {
  const { user_groups } = await viewer.does(getUserGroups)
  return user_groups.filter(({ members }) => members.includes(id)).map(({ name }) => name)
}

test('only administrators change, deactivate and reactivate others', async () => {
  const { mona, ann, ben, gus } = await newWorld()
  for (const actor of [mona, ann, gus])
    for (const operation of [api.updateUser, api.deactivateUser, api.reactivateUser, api.createUser])
      assert.equal((await actor.isRefused(operation, of(ben))).code, 'UNAUTHORIZED_PRINCIPAL')
})

test('users of other organizations, system bots and unknown ids cannot be changed', async () => {
  const { olga, ctx, realmId } = await newWorld()
  const other = await newWorld()
  const bot = await ctx.db
    .selectFrom('users')
    .select('id')
    .where('realm_id', '=', realmId)
    .where('is_system_bot', '=', true)
    .executeTakeFirstOrThrow()
  for (const id of [other.ann.id, bot.id, 999_999_999])
    for (const operation of [api.updateUser, api.deactivateUser, api.reactivateUser])
      assert.equal((await olga.isRefused(operation, { path: { user_id: id } })).msg, 'No such user')
})

test('an administrator renames a user, and everyone receives the new name', async () => {
  const { adam, ann, gus } = await newWorld()
  await gus.registers()
  await adam.does(api.updateUser, { ...of(ann), full_name: ' Anna  ' })
  await adam.does(api.updateUser, { ...of(ann), full_name: 'Anna' })
  const events = (await gus.receives('realm_user')).map(({ person }) => person)
  assert.deepEqual(events, [{ user_id: ann.id, full_name: 'Anna' }])
  for (const name of ['', '  ', 'a*b', 'x', 'x'.repeat(101), 'Ann|12', 'a@b', 'a"b'])
    assert.equal((await adam.isRefused(api.updateUser, { ...of(ann), full_name: name })).code, 'BAD_REQUEST')
})

test('names are unique where the organization requires it, also for concurrent changes', async () => {
  const { adam, ann, ben, ctx, realmId } = await newWorld()
  await ctx.db
    .updateTable('realms')
    .set({ settings: JSON.stringify({ require_unique_names: true }) })
    .where('id', '=', realmId)
    .execute()
  await adam.isRefused(api.updateUser, { ...of(ann), full_name: 'BEN' })
  await adam.does(api.updateUser, { ...of(ann), full_name: 'ANN' })
  const answers = await Promise.all(
    [ann, ben].map((one) => adam.request(api.updateUser as never, { ...of(one), full_name: 'Same' })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
})

test('a user can be changed by email as well', async () => {
  const { adam, ann } = await newWorld()
  await adam.does(api.updateUserByEmail, { path: { email: ann.credentials.email }, full_name: 'Anna' })
  assert.equal((await adam.does(getUser, of(ann))).user.full_name, 'Anna')
  assert.equal((await adam.isRefused(api.updateUserByEmail, { path: { email: 'no@body.test' } })).msg, 'No such user')
})

test('a new role comes with its groups, and everyone receives both events', async () => {
  const { adam, ann, ben } = await newWorld()
  await ben.registers()
  await adam.does(api.updateUser, { ...of(ann), role: roles.moderator })
  assert.deepEqual((await ben.receives('realm_user'))[0]?.person, { user_id: ann.id, role: roles.moderator })
  const events = await ben.receives('user_group')
  assert.deepEqual(
    events.map(({ op }) => op),
    ['remove_members', 'remove_members', 'add_members'],
  )
  assert.deepEqual(await groupsOf(ann, ann.id), ['role:moderators'])
  await adam.does(api.updateUser, { ...of(ann), role: roles.member })
  assert.deepEqual(await groupsOf(ann, ann.id), ['role:fullmembers', 'role:members'])
})

test('a user who becomes a member within the waiting period is not a full member yet', async () => {
  const { adam, gus, ann, ctx, realmId } = await newWorld()
  await ctx.db
    .updateTable('realms')
    .set({ settings: JSON.stringify({ waiting_period_threshold: 3 }) })
    .where('id', '=', realmId)
    .execute()
  await adam.does(api.updateUser, { ...of(gus), role: roles.member })
  assert.deepEqual(await groupsOf(ann, gus.id), ['role:members'])
})

test('a new role takes effect immediately', async () => {
  const { adam, ann, ben } = await newWorld()
  await ann.isRefused(api.updateUser, { ...of(ben), full_name: 'Benno' })
  await adam.does(api.updateUser, { ...of(ann), role: roles.admin })
  await ann.does(api.updateUser, { ...of(ben), full_name: 'Benno' })
  await adam.does(api.updateUser, { ...of(ann), role: roles.member })
  await ann.isRefused(api.updateUser, { ...of(ben), full_name: 'Ben' })
})

test('only owners give and take the owner role, and the only owner keeps it', async () => {
  const { olga, adam, ann } = await newWorld()
  for (const [target, role] of [
    [ann, roles.owner],
    [olga, roles.member],
  ] as const)
    assert.equal((await adam.isRefused(api.updateUser, { ...of(target), role })).code, 'UNAUTHORIZED_PRINCIPAL')
  assert.equal((await olga.isRefused(api.updateUser, { ...of(olga), role: roles.member })).code, 'BAD_REQUEST')
  await olga.does(api.updateUser, { ...of(olga), role: roles.owner, full_name: 'Olgax' })
  await olga.does(api.updateUser, { ...of(ann), role: roles.owner })
  await olga.does(api.updateUser, { ...of(olga), role: roles.member })
  assert.equal(await roleOf(ann, olga), roles.member)
})

test('a guest cannot become administrator or owner in one step', async () => {
  const { olga, gus } = await newWorld()
  for (const role of [roles.admin, roles.owner])
    assert.equal((await olga.isRefused(api.updateUser, { ...of(gus), role })).code, 'BAD_REQUEST')
  await olga.does(api.updateUser, { ...of(gus), role: roles.moderator })
  await olga.does(api.updateUser, { ...of(gus), role: roles.admin })
})

test('a role that does not exist is refused, and with it every other change', async () => {
  const { olga, ann } = await newWorld()
  for (const role of [500, '"400"', null, 'member'])
    await olga.isRefused(api.updateUser, { ...of(ann), full_name: 'Anna', role: role as never })
  await olga.isRefused(api.updateUser, { ...of(ann), full_name: 'Anna', profile_data: [{ id: 7, value: 'x' }] })
  assert.equal((await olga.does(getUser, of(ann))).user.full_name, 'Ann')
})

test('two owners who demote each other at once leave one', async () => {
  for (let round = 0; round < 4; round++) {
    const world = await newWorld()
    const { olga, ann } = world
    await olga.does(api.updateUser, { ...of(ann), role: roles.owner })
    const answers = await Promise.all([
      olga.request(api.updateUser as never, { ...of(ann), role: roles.member }),
      ann.request(api.updateUser as never, { ...of(olga), role: roles.member }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
    const left = [await roleOf(olga, ann), await roleOf(olga, olga)].filter((role) => role === roles.owner)
    assert.equal(left.length, 1)
  }
})

test('two owners who deactivate themselves at once leave one', async () => {
  const { olga, ann } = await newWorld()
  await olga.does(api.updateUser, { ...of(ann), role: roles.owner })
  const answers = await Promise.all([olga, ann].map((one) => one.request(api.deactivateOwnUser as never, {})))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
})

test('only owners with the grant can change the email of another user', async () => {
  const world = await newWorld()
  const { olga, adam, ann, host } = world
  const new_email = `anna@${host}`
  await granting(world, adam, 'can_change_user_emails')
  for (const actor of [adam, olga])
    assert.equal((await actor.isRefused(api.updateUser, { ...of(ann), new_email })).code, 'BAD_REQUEST')
  await granting(world, olga, 'can_change_user_emails')
  for (const bad of ['nonsense', `ben@${host}`, `BEN@${host}`, `welcome-bot@${host}`])
    assert.equal((await olga.isRefused(api.updateUser, { ...of(ann), new_email: bad })).code, 'BAD_REQUEST')
  await adam.registers()
  await olga.does(api.updateUser, { ...of(ann), new_email })
  const events = (await adam.receives('realm_user')).map(({ person }) => Object.keys(person)[1])
  assert.deepEqual(events, ['delivery_email', 'avatar_url', 'new_email'])
  assert.equal((await ann.isRefused(register)).code, 'UNAUTHORIZED')
})

const newcomer = (host: string) => ({ email: `nora@${host}`, password: 'correct horse battery', full_name: 'Nora' })

test('administrators with the grant can create accounts', async () => {
  const world = await newWorld()
  const { adam, ann, host, ctx, realmId } = world
  assert.equal((await adam.isRefused(api.createUser, newcomer(host))).code, 'BAD_REQUEST')
  await granting(world, adam, 'can_create_users')
  await ann.registers()
  const { user_id } = await adam.does(api.createUser, newcomer(host))
  const { user } = await ann.does(getUser, { path: { user_id } })
  assert.deepEqual([user.role, user.full_name, user.is_active], [roles.member, 'Nora', true])
  const events = (await ann.reads()).map(({ type }) => type).filter((type) => /^(realm_user|user_group)$/.test(type))
  assert.deepEqual(events, ['realm_user', 'user_group', 'user_group'])
  assert.equal((await ann.receives('realm_user'))[0]?.person.user_id, user_id)
  const key = await ann.does(fetchApiKey, { username: `nora@${host}`, password: 'correct horse battery' })
  assert.equal(key.user_id, user_id)
  const audit = await ctx.db.selectFrom('audit_log').select('action').where('realm_id', '=', realmId).execute()
  assert.ok(audit.some(({ action }) => action === 'user_created'))
})

test('a new account needs a name, an unused email and a strong password', async () => {
  const world = await newWorld()
  const { adam, ann, ben, host, olga } = world
  await granting(world, adam, 'can_create_users')
  await olga.does(api.deactivateUser, of(ben))
  const good = newcomer(host)
  const bad = [
    { full_name: 'a*b' },
    { email: 'nonsense' },
    { email: ann.credentials.email.toUpperCase() },
    { email: ben.credentials.email },
    { email: 'x@mailinator.com' },
    ...['short', 'password', 'qwerty123', 'aaaaaaaaaaaa', 'nora1', '12345678', 'x'.repeat(101)].map((password) => ({
      password,
    })),
  ]
  for (const one of bad)
    assert.equal((await adam.isRefused(api.createUser, { ...good, ...one })).code, 'BAD_REQUEST', JSON.stringify(one))
  for (const name of ['email', 'password', 'full_name'])
    assert.equal((await adam.isRefused(api.createUser, { ...good, [name]: undefined })).var_name, name)
  await adam.does(api.createUser, good)
})

test('a deactivated account can do nothing, is in no group and no channel, and everyone receives the event', async () => {
  const { adam, ann, ben, host } = await newWorld()
  const channel = await inChannel('verona', [ann, ben])
  await ann.registers()
  await ben.registers()
  await adam.does(api.deactivateUser, { ...of(ben), deactivation_notification_comment: 'thanks' })
  assert.equal((await ben.isRefused(register)).code, 'UNAUTHORIZED')
  assert.deepEqual((await ann.receives('realm_user'))[0]?.person, { user_id: ben.id, is_active: false })
  assert.equal((await ann.does(getUser, of(ben))).user.is_active, false)
  assert.deepEqual(await groupsOf(ann, ben.id), [])
  const { subscribers } = await ann.does(getChannelMembers, { path: { stream_id: channel } })
  assert.deepEqual(subscribers, [ann.id])
  assert.equal((await adam.isRefused(api.deactivateUser, of(ben))).code, 'BAD_REQUEST')
  assert.ok(host)
})

test('waiting polls of a deactivated account end immediately', async () => {
  const { adam, ben, app, ctx } = await newWorld()
  await ben.registers()
  const url = `/api/v1/events?queue_id=${ben.queueId}&last_event_id=-1`
  const { answer } = await startsWaiting(ctx, async () => app.inject({ url, headers: ben.headers }))
  await adam.does(api.deactivateUser, of(ben))
  assert.deepEqual((await answer).json().events, [])
  assert.equal((await ben.isRefused(getEvents, { queue_id: ben.queueId!, last_event_id: -1 })).code, 'UNAUTHORIZED')
})

test('deactivating a user deactivates their bots, and only owners deactivate owners', async () => {
  const { olga, adam, ann, add } = await newWorld()
  const bot = await add('robot', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  await adam.registers()
  await adam.does(api.deactivateUser, of(ann))
  assert.deepEqual(
    (await adam.receives('realm_user')).map(({ person }) => person.user_id),
    [bot.id, ann.id],
  )
  assert.equal((await bot.isRefused(register)).code, 'UNAUTHORIZED')
  const second = await add('otto', roles.owner)
  assert.equal((await adam.isRefused(api.deactivateUser, of(second))).code, 'UNAUTHORIZED_PRINCIPAL')
  await olga.does(api.deactivateUser, of(second))
  for (const actor of [adam, olga])
    assert.equal((await actor.isRefused(api.deactivateUser, of(olga))).code, 'BAD_REQUEST')
})

test('administrators deactivate bots like users; others, and bots with greater rights, are refused', async () => {
  const { olga, adam, mona, ann, ben, add } = await newWorld()
  const bot = await add('robot', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  const strong = await add('strong', roles.owner, { bot_type: 1, bot_owner_id: olga.id })
  for (const actor of [ann, ben, mona])
    assert.equal((await actor.isRefused(api.deactivateUser, of(bot))).code, 'UNAUTHORIZED_PRINCIPAL')
  await adam.isRefused(api.deactivateUser, of(strong))
  await ann.registers()
  await adam.does(api.deactivateUser, of(bot))
  assert.deepEqual((await ann.receives('realm_bot')).at(-1)?.bot, { user_id: bot.id, is_active: false })
  assert.equal((await bot.isRefused(register)).code, 'UNAUTHORIZED')
  assert.equal((await adam.isRefused(api.deactivateUser, of(bot))).msg, 'User is already deactivated')
})

test('a comment that is too long is refused', async () => {
  const { adam, ann } = await newWorld()
  const deactivation_notification_comment = 'x'.repeat(2001)
  await adam.isRefused(api.deactivateUser, { ...of(ann), deactivation_notification_comment })
  await ann.registers()
})

test('all users but the last owner can deactivate themselves', async () => {
  const { olga, gus } = await newWorld()
  await gus.does(api.deactivateOwnUser)
  assert.equal((await gus.isRefused(register)).code, 'UNAUTHORIZED')
  const error = await olga.isRefused(api.deactivateOwnUser)
  assert.deepEqual([error.code, error.is_last_owner], ['CANNOT_DEACTIVATE_LAST_USER', true])
})

test('a reactivated account has its channels and groups again, but none of its queues', async () => {
  const world = await newWorld()
  const { adam, ann, ben } = world
  const channel = await inChannel('verona', [ann, ben])
  await ben.registers()
  await adam.does(api.deactivateUser, of(ben))
  await ann.registers()
  await adam.does(api.reactivateUser, of(ben))
  assert.deepEqual((await ann.receives('realm_user'))[0]?.person, { user_id: ben.id, is_active: true })
  const [peer] = await ann.receives('subscription')
  assert.deepEqual(peer && 'user_ids' in peer && [peer.op, peer.stream_ids], ['peer_add', [channel]])
  assert.deepEqual(await groupsOf(ann, ben.id), ['role:fullmembers', 'role:members'])
  await renewKeys(world, ben)
  await assert.rejects(ben.reads(), /BAD_EVENT_QUEUE_ID/)
  await ben.registers()
  await adam.does(api.reactivateUser, of(ben))
})

test('a reactivated bot without an active owner goes to the user who reactivates it, unless its name is taken', async () => {
  const { adam, ann, ben, add } = await newWorld()
  const bot = await add('robot', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  await adam.does(api.deactivateUser, of(ann))
  await adam.does(api.updateUser, { ...of(ben), full_name: 'Robot' })
  await adam.isRefused(api.reactivateUser, of(bot))
  await adam.does(api.updateUser, { ...of(ben), full_name: 'Ben' })
  await adam.does(api.reactivateUser, of(bot))
  assert.equal((await adam.does(getUser, of(bot))).user.bot_owner_id, adam.id)
})

test('a deactivated user deactivated by two administrators at once is deactivated once', async () => {
  const { olga, adam, ann } = await newWorld()
  const answers = await Promise.all([olga, adam].map((one) => one.request(api.deactivateUser as never, of(ann))))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
})

test('a new account is announced where the organization has chosen so', async () => {
  const world = await newWorld()
  const { olga, ann, host } = world
  await granting(world, olga, 'can_create_users')
  const channel = await inChannel('hall', [ann])
  await olga.does(updateRealm, { signup_announcements_stream_id: channel })
  await ann.registers()
  const { user_id } = await olga.does(api.createUser, newcomer(host))
  const [notice] = await ann.receives('message')
  assert.deepEqual([notice?.message.subject, notice?.message.stream_id], ['signups', channel])
  assert.equal(notice?.message.content, `@_**Nora|${user_id}** joined this organization.`)
})

test('an owner creates an account with any role and without a grant, and nobody else does', async () => {
  const { olga, adam, host } = await newWorld()
  const params = { ...newcomer(host), role: roles.moderator }
  assert.equal((await adam.isRefused(api.createAccount, params)).code, 'UNAUTHORIZED_PRINCIPAL')
  const { user_id } = await olga.does(api.createAccount, params)
  assert.equal((await adam.does(getUser, { path: { user_id } })).user.role, roles.moderator)
})
