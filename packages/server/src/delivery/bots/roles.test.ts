import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Role, roles } from '@parley/api/common'
import { getChannels } from '@parley/api/conversations/channels'
import * as api from '@parley/api/delivery/bots'
import * as accounts from '@parley/api/identity/accounts'
import { getAuditLog } from '@parley/api/operation/audit-log'
import * as users from '@parley/api/people/users'
import pg from 'pg'
import { verifyChain } from '../../operation/audit/verify.ts'
import { column } from '../../platform/db/query.ts'
import { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { configureRealm } from '../../testing/configure-realm.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, renewKeys, type World } from '../../testing/world.ts'

let made = 0

/** A bot with a role, given by Olga. */
async function newBot({ app, host, olga }: World, owner: Actor, role: Role): Promise<Actor> {
  const short_name = `helper${++made}`
  const full_name = `Helper ${made}`
  const { user_id, api_key } = await owner.does(api.createBot, { full_name, short_name })
  if (role !== roles.member) await olga.does(api.updateBot, { path: { bot_id: user_id }, role })
  return new Actor(app, user_id, full_name, { host, email: `${short_name}-bot@${host}`, key: api_key })
}

async function roleOf(bot: Actor): Promise<number> {
  return (await bot.does(users.getOwnUser)).role
}

/** The direct system groups of a user. */
function systemGroupsOf({ ctx }: World, { id }: Actor): Promise<string[]> {
  return column<string>(ctx.db)`
    select g.name from group_members m join user_groups g on g.id = m.group_id
     where m.user_id = ${id} and g.is_system_group order by 1`
}

const setRole = ({ olga }: World, { id }: Actor, role: Role) =>
  olga.does(accounts.updateUser, { path: { user_id: id }, role })

for (const [name, role, groups] of [
  ['administrator', roles.admin, ['role:administrators']],
  ['moderator', roles.moderator, ['role:moderators']],
  ['member', roles.member, ['role:fullmembers', 'role:members']],
  ['guest', roles.guest, ['role:everyone']],
] as const)
  test(`the bots of an owner who becomes ${name} have that role at once, also deactivated ones`, async () => {
    const world = await newWorld()
    const oda = await world.add('oda', roles.owner)
    const bot = await newBot(world, oda, roles.owner)
    const resting = await newBot(world, oda, roles.owner)
    const modest = await newBot(world, oda, roles.guest)
    await oda.does(api.deactivateBot, { path: { bot_id: resting.id } })
    await verifyEvents([world.olga, world.adam, world.ann, bot], () => setRole(world, oda, role))
    assert.deepEqual([await roleOf(bot), await roleOf(modest)], [role, roles.guest])
    assert.deepEqual(await systemGroupsOf(world, bot), groups)
    await world.olga.does(accounts.reactivateUser, { path: { user_id: resting.id } })
    await renewKeys(world, resting)
    assert.equal(await roleOf(resting), role)
  })

test('a demoted owner does not get their role back through their bot', async () => {
  const world = await newWorld()
  const oda = await world.add('oda', roles.owner)
  const bot = await newBot(world, oda, roles.owner)
  await setRole(world, oda, roles.member)
  const promotion = { path: { user_id: oda.id }, role: roles.owner }
  assert.equal((await bot.isRefused(accounts.updateUser, promotion)).code, 'UNAUTHORIZED_PRINCIPAL')
})

test('the bot of someone who was made a guest no longer sees public channels', async () => {
  const world = await newWorld()
  const bot = await newBot(world, world.ann, roles.member)
  await inChannel('verona', [world.olga])
  assert.deepEqual((await bot.does(getChannels)).streams.length, 1)
  await setRole(world, world.ann, roles.guest)
  assert.deepEqual((await bot.does(getChannels)).streams, [])
})

test('roles of bots that were lowered stay low when their owner is promoted again', async () => {
  const world = await newWorld()
  const bot = await newBot(world, world.adam, roles.admin)
  await setRole(world, world.adam, roles.member)
  await setRole(world, world.adam, roles.admin)
  assert.equal(await roleOf(bot), roles.member)
})

test('an administrator who adopts the bot of a departed owner gets it as administrator', async () => {
  const world = await newWorld()
  const oda = await world.add('oda', roles.owner)
  const bot = await newBot(world, oda, roles.owner)
  await world.olga.does(accounts.deactivateUser, { path: { user_id: oda.id } })
  const path = { user_id: bot.id }
  await verifyEvents([world.olga, world.adam, world.ann], () => world.adam.does(accounts.reactivateUser, { path }))
  await renewKeys(world, bot)
  assert.deepEqual([await roleOf(bot), await systemGroupsOf(world, bot)], [roles.admin, ['role:administrators']])
})

test('a transferred bot has at most the role and the grants of its new owner', async () => {
  const world = await newWorld()
  const { ctx, olga, ann } = world
  const bot = await newBot(world, olga, roles.owner)
  const granted = { can_create_users: true, can_change_user_emails: true }
  await ctx.db.updateTable('users').set(granted).where('id', '=', bot.id).execute()
  const path = { bot_id: bot.id }
  await verifyEvents([olga, world.adam, ann], () => olga.does(api.updateBot, { path, bot_owner_id: ann.id }))
  await renewKeys(world, bot)
  assert.equal(await roleOf(bot), roles.member)
  const row = await ctx.db.selectFrom('users').selectAll().where('id', '=', bot.id).executeTakeFirstOrThrow()
  assert.deepEqual([row.can_create_users, row.can_change_user_emails], [false, false])
})

test('a bot cannot get a higher role than its owner, in any way', async () => {
  const world = await newWorld()
  const { olga, adam, ann } = world
  const bot = await newBot(world, ann, roles.member)
  const refusal = /higher role than its owner/
  const path = { bot_id: bot.id }
  for (const role of [roles.moderator, roles.admin, roles.owner]) {
    assert.match((await olga.isRefused(api.updateBot, { path, role })).msg, refusal)
    assert.match((await olga.isRefused(accounts.updateUser, { path: { user_id: bot.id }, role })).msg, refusal)
  }
  const transfer = { path, bot_owner_id: adam.id, role: roles.owner } as const
  assert.match((await olga.isRefused(api.updateBot, transfer)).msg, refusal)
  await olga.does(api.updateBot, { ...transfer, role: roles.admin })
  await renewKeys(world, bot)
  assert.equal(await roleOf(bot), roles.admin)
})

test('a bot that is created while its owner becomes a guest does not stay a member', async () => {
  const world = await newWorld()
  const { ann, ctx, realmId } = world
  await configureRealm(world, {}, { can_create_bots_group: 'role:everyone' })
  const creations = Array.from({ length: 6 }, (_, index) =>
    ann.does(api.createBot, { full_name: `Fast ${index}`, short_name: `fast${index}` }).catch(() => undefined),
  )
  await Promise.all([...creations, setRole(world, ann, roles.guest)])
  const higher = await column<string>(ctx.db)`
    select full_name from users where realm_id = ${realmId} and bot_owner_id = ${ann.id} and role < ${roles.guest}`
  assert.deepEqual(higher, [])
})

/** Statements with the rights of the owner of the database. */
async function asDatabaseOwner({ ownerUrl }: World, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

async function storedRole({ ctx }: World, { id }: Actor): Promise<number> {
  return (await ctx.db.selectFrom('users').select('role').where('id', '=', id).executeTakeFirstOrThrow()).role
}

test('a change of a role that bypasses the server lowers the bots too', async () => {
  const world = await newWorld()
  const bot = await newBot(world, world.adam, roles.admin)
  const other = await newBot(world, world.ann, roles.member)
  const raise = `update users set role = 100 where id = ${other.id}`
  await asDatabaseOwner(world, `update users set role = 600 where id = ${world.adam.id}`, raise)
  assert.deepEqual([await storedRole(world, bot), await storedRole(world, other)], [roles.guest, roles.member])
  assert.deepEqual(await systemGroupsOf(world, bot), ['role:everyone'])
  assert.deepEqual(await systemGroupsOf(world, other), ['role:fullmembers', 'role:members'])
})

test('the migration lowers bots that were above their owners', async () => {
  const world = await newWorld()
  const bot = await newBot(world, world.ann, roles.member)
  const file = new URL('../../../migrations/0410_roles_of_bots.sql', import.meta.url)
  const [, lowering] = readFileSync(file, 'utf8').split(/(?=^with lowered)/m)
  await asDatabaseOwner(
    world,
    'set session_replication_role = replica', // without triggers
    `update users set role = 100 where id = ${bot.id}`,
    'set session_replication_role = default',
    lowering!,
  )
  assert.equal(await storedRole(world, bot), roles.member)
})

test('the audit log has the lowered roles, and names the person behind a bot', async () => {
  const world = await newWorld()
  const { olga, adam, ann } = world
  const bot = await newBot(world, adam, roles.admin)
  await bot.does(accounts.updateUser, { path: { user_id: ann.id }, role: roles.moderator })
  await setRole(world, adam, roles.member)
  await olga.does(api.updateBot, { path: { bot_id: bot.id }, bot_owner_id: ann.id })
  const { rows } = await olga.does(getAuditLog)
  const byBot = rows.find(({ actor_id }) => actor_id === bot.id)!
  assert.equal(byBot.actor_owner_id, adam.id) // not its owner of today
  const lowered = rows.find(({ after }) => after?.role === roles.member && after.bot_owner_id === undefined)!
  assert.deepEqual([lowered.actor_id, lowered.actor_owner_id], [olga.id, null])
  assert.ok(
    rows.some(({ action, target, before }) => {
      return action === 'bot_updated' && target.user_id === bot.id && before?.role === roles.admin
    }),
  )
  assert.equal((await verifyChain(world.ctx.db, world.realmId)).problem, undefined)
})

test('the audit log has the new owner and role of a bot that is adopted by its reactivation', async () => {
  const world = await newWorld()
  const { olga, adam } = world
  const other = await world.add('oda', roles.owner)
  const bot = await newBot(world, other, roles.owner)
  await olga.does(accounts.deactivateUser, { path: { user_id: other.id } })
  await adam.does(accounts.reactivateUser, { path: { user_id: bot.id } })
  const { rows } = await olga.does(getAuditLog, { action: 'bot_updated' })
  const { before, after } = rows[0]!
  assert.deepEqual([before!.role, before!.bot_owner_id], [roles.owner, other.id])
  assert.deepEqual([after!.role, after!.bot_owner_id], [roles.admin, adam.id])
})

test('owners of bots reactivate them, others do not', async () => {
  const world = await newWorld()
  const { ann, ben, mona } = world
  const bot = await newBot(world, ann, roles.member)
  await ann.does(api.deactivateBot, { path: { bot_id: bot.id } })
  const path = { user_id: bot.id }
  for (const other of [ben, mona])
    assert.equal(
      (await other.isRefused(accounts.reactivateUser, { path })).msg,
      'Must be an organization administrator',
    )
  const missing = await ben.isRefused(accounts.reactivateUser, { path: { user_id: 999_999_999 } })
  assert.equal(missing.msg, 'Must be an organization administrator')
  await verifyEvents([ann, ben, world.adam], () => ann.does(accounts.reactivateUser, { path }))
  await renewKeys(world, bot)
  await bot.does(users.getOwnUser)
})

test('an owner who may no longer create bots does not reactivate them', async () => {
  const world = await newWorld()
  const bot = await newBot(world, world.ann, roles.member)
  await world.ann.does(api.deactivateBot, { path: { bot_id: bot.id } })
  await configureRealm(world, {}, { can_create_bots_group: 'role:administrators' })
  await world.ann.isRefused(accounts.reactivateUser, { path: { user_id: bot.id } })
})

test("administrators do not reactivate an owner's owner-bot", async () => {
  const world = await newWorld()
  const bot = await newBot(world, world.olga, roles.owner)
  await world.olga.does(api.deactivateBot, { path: { bot_id: bot.id } })
  await world.adam.isRefused(accounts.reactivateUser, { path: { user_id: bot.id } })
})
