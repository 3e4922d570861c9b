import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { updateSettings } from '@parley/api/people/own-settings'
import * as api from '@parley/api/people/presence'
import { sql } from 'kysely'
import type { Actor } from '../../testing/actor.ts'
import { restrictGuests } from '../../testing/configure-realm.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'

type Modern = Record<string, { active_timestamp: number; idle_timestamp: number }>

/** Lets time pass for what was recorded. */
async function pass({ ctx, realmId }: World, seconds: number): Promise<void> {
  await sql`update presence set last_active_time = last_active_time - make_interval(secs => ${seconds}),
                                last_connected_time = last_connected_time - make_interval(secs => ${seconds})
             where realm_id = ${realmId}`.execute(ctx.db)
}

async function stored({ ctx }: World, actor: Actor) {
  return ctx.db.selectFrom('presence').selectAll().where('user_id', '=', actor.id).executeTakeFirst()
}

test('an active user is keyed by email, with one record per client and an aggregate', async () => {
  const { ann, ben, host } = await newWorld()
  await ann.does(api.updatePresence, { status: 'active', new_user_input: true })

  const { presences, presence_last_update_id, server_timestamp } = await ben.does(api.updatePresence, {
    status: 'idle',
  })

  const { aggregated, website } = (presences as Record<string, Record<string, object>>)[`ann@${host}`]!
  const { timestamp } = website as { timestamp: number }
  assert.deepEqual(website, { client: 'website', status: 'active', timestamp, pushable: false })
  assert.deepEqual(aggregated, { client: 'website', status: 'active', timestamp })
  assert.ok(Math.abs(timestamp - server_timestamp!) < 10)
  assert.ok(presence_last_update_id! > 0)
})

test('GET /realm/presence shows the same, to bots too', async () => {
  const { ann, host, add } = await newWorld()
  const bot = await add('helper', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  await ann.does(api.updatePresence, { status: 'active' })
  const { presences } = await bot.does(api.getRealmPresence)
  assert.equal(presences[`ann@${host}`]?.aggregated?.status, 'active')
})

test('the record of one user is offline after long inactivity', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await ann.does(api.updatePresence, { status: 'active' })
  await pass(world, api.offlineSeconds + 1)
  const { presence } = await ben.does(api.getUserPresence, { path: { user_id_or_email: String(ann.id) } })
  assert.equal(presence.aggregated.status, 'offline')
  assert.equal(presence.website.status, 'active')
})

test('a user who is only connected for more than 70 seconds is idle', async () => {
  const world = await newWorld()
  const { ann, host } = world
  await ann.does(api.updatePresence, { status: 'active' })
  await pass(world, 71)
  await ann.does(api.updatePresence, { status: 'idle' })
  const { presences } = await ann.does(api.getRealmPresence)
  assert.equal(presences[`ann@${host}`]?.website?.status, 'idle')
})

test('the modern form is keyed by id and comes with slim_presence or last_update_id', async () => {
  const { ann } = await newWorld()
  const slim = await ann.does(api.updatePresence, { status: 'active', slim_presence: true })
  const newer = await ann.does(api.updatePresence, { status: 'active', last_update_id: -1 })

  for (const { presences } of [slim, newer]) {
    const record = (presences as Modern)[ann.id]!
    assert.deepEqual(Object.keys(presences!), [String(ann.id)])
    assert.ok(record.active_timestamp > 0 && record.idle_timestamp >= record.active_timestamp)
  }
})

test('a user who was never active counts as active at the time they joined', async () => {
  const { ann, ctx } = await newWorld()
  const { presences } = await ann.does(api.updatePresence, { status: 'idle', slim_presence: true })
  const { date_joined } = await ctx.db
    .selectFrom('users')
    .select('date_joined')
    .where('id', '=', ann.id)
    .executeTakeFirstOrThrow()
  assert.equal((presences as Modern)[ann.id]?.active_timestamp, Math.floor(date_joined.getTime() / 1000))
})

test('last_update_id returns only newer records', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await ann.does(api.updatePresence, { status: 'active' })
  const first = await ben.does(api.updatePresence, { status: 'active', last_update_id: -1 })
  assert.deepEqual(Object.keys(first.presences!), [String(ann.id), String(ben.id)])

  await pass(world, 60)
  await ann.does(api.updatePresence, { status: 'active' })
  const second = await ben.does(api.updatePresence, {
    status: 'idle',
    ping_only: false,
    last_update_id: first.presence_last_update_id!,
  })
  assert.ok(String(ann.id) in second.presences!)

  // A transaction that still runs, of whatever database beside this one, holds the number back for a moment.
  let seen = second.presence_last_update_id!
  await until(async () => {
    const next = await ben.does(api.updatePresence, { status: 'idle', last_update_id: seen })
    seen = next.presence_last_update_id!
    return Object.keys(next.presences!).length === 0
  })
  assert.ok(seen > first.presence_last_update_id!)
})

test('an update that commits late is not missed', async () => {
  const { ann, ben, mona, ctx, realmId } = await newWorld()
  const late = Promise.withResolvers<void>()
  const written = Promise.withResolvers<void>()
  const slow = ctx.db.transaction().execute(async (db) => {
    await sql`insert into presence (realm_id, user_id, last_connected_time, update_id)
              values (${realmId}, ${ann.id}, now(), pg_current_xact_id()::text::bigint)`.execute(db)
    written.resolve()
    await late.promise
  })
  await written.promise
  await mona.does(api.updatePresence, { status: 'active' })
  const before = await ben.does(api.updatePresence, { status: 'active', last_update_id: -1 })
  late.resolve()
  await slow

  const after = await ben.does(api.updatePresence, {
    status: 'active',
    last_update_id: before.presence_last_update_id!,
  })

  assert.equal(String(ann.id) in before.presences!, false)
  assert.equal(String(ann.id) in after.presences!, true)
})

test('a last_update_id that this database has not reached yet means everything', async () => {
  const { ann } = await newWorld()
  const { presences } = await ann.does(api.updatePresence, {
    status: 'active',
    last_update_id: Number.MAX_SAFE_INTEGER,
  })
  assert.deepEqual(Object.keys(presences!), [String(ann.id)])
})

test('ping_only returns no presences', async () => {
  const { ann } = await newWorld()
  const answer = await ann.does(api.updatePresence, { status: 'active', ping_only: true })
  assert.deepEqual(answer, { result: 'success', msg: '' })
})

test('records older than the requested history are left out', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await ann.does(api.updatePresence, { status: 'active' })
  await pass(world, 3 * 86_400)
  const seen = async (history_limit_days: number) => {
    const { presences } = await ben.does(api.updatePresence, {
      status: 'idle',
      slim_presence: true,
      history_limit_days,
    })
    return String(ann.id) in presences!
  }
  assert.deepEqual([await seen(0), await seen(2), await seen(4), await seen(1e12)], [false, false, true, true])
})

test('deactivated users are left out', async () => {
  const world = await newWorld()
  const { ann, ben, ctx } = world
  await ann.does(api.updatePresence, { status: 'active' })
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', ann.id).execute()
  assert.deepEqual((await ben.does(api.getRealmPresence)).presences, {})
})

test('nothing is stored for users who turned presence off', async () => {
  const world = await newWorld()
  const { ann, ctx, realmId } = world
  await ctx.db.updateTable('users').set({ settings: '{"presence_enabled": false}' }).where('id', '=', ann.id).execute()
  ctx.realms.drop(realmId)
  await ann.does(api.updatePresence, { status: 'active' })
  assert.equal(await stored(world, ann), undefined)
})

test('a record is replaced only after 55 seconds', async () => {
  const world = await newWorld()
  const { ann } = world
  await ann.does(api.updatePresence, { status: 'active' })
  const first = await stored(world, ann)
  await pass(world, 50)
  await ann.does(api.updatePresence, { status: 'active' })
  assert.equal((await stored(world, ann))?.update_id, first?.update_id)
  await pass(world, 5)
  await ann.does(api.updatePresence, { status: 'active' })
  assert.notEqual((await stored(world, ann))?.update_id, first?.update_id)
})

test('activity is recorded at once after having been idle', async () => {
  const world = await newWorld()
  const { ann } = world
  await ann.does(api.updatePresence, { status: 'idle' })
  assert.equal((await stored(world, ann))?.last_active_time, null)
  await ann.does(api.updatePresence, { status: 'active' })
  assert.notEqual((await stored(world, ann))?.last_active_time, null)
})

test('coming back after 130 seconds without activity is announced, staying is not', async () => {
  const world = await newWorld()
  const { ann, ben, host } = world
  await ann.does(api.updatePresence, { status: 'active' })
  await ben.registers({ fetch_event_types: [] })
  await pass(world, 120)
  await ann.does(api.updatePresence, { status: 'active' })
  assert.deepEqual(await ben.receives('presence'), [])
  await pass(world, 130)
  await ann.does(api.updatePresence, { status: 'idle' })
  assert.deepEqual(await ben.receives('presence'), [])
  await ann.does(api.updatePresence, { status: 'active' })

  const [event, ...more] = await ben.receives('presence')
  assert.deepEqual(more, [])
  assert.equal(event?.user_id, ann.id)
  assert.equal(event?.email, `ann@${host}`)
  assert.equal(event?.presence.website?.status, 'active')
})

test('a client with slim_presence does not receive the email', async () => {
  const { ann, ben } = await newWorld()
  await ben.registers({ fetch_event_types: [], slim_presence: true })
  await ann.does(api.updatePresence, { status: 'active' })
  const [event] = await ben.receives('presence')
  assert.equal(event?.user_id, ann.id)
  assert.equal(event && 'email' in event, false)
})

async function manyMore({ ctx, realmId }: World): Promise<void> {
  await sql`insert into users (realm_id, email, email_key, full_name, role, api_key_hash, api_key_sealed)
            select ${realmId}, 'u' || n, 'u' || n, 'U', 400, sha256((${realmId}::text || ' ' || n)::bytea), ''
              from generate_series(1, 95) n`.execute(ctx.db)
}

test('no event is emitted to an audience of more than 100 users', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await manyMore(world)
  await ben.registers({ fetch_event_types: [] })
  await ann.does(api.updatePresence, { status: 'active' })
  assert.deepEqual(await ben.receives('presence'), [])
})

test('turning presence on or off is emitted to an audience of any size', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await manyMore(world)
  await ann.does(api.updatePresence, { status: 'active' })
  await ben.registers({ fetch_event_types: [] })
  for (const presence_enabled of [false, true]) await ann.does(updateSettings, { presence_enabled })
  const [gone, back] = await ben.receives('presence')
  assert.ok(gone!.presence.website!.timestamp < back!.presence.website!.timestamp)
})

test('turning presence off does not make a long-inactive user look more recent', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await ann.does(api.updatePresence, { status: 'active' })
  await pass(world, 5000)
  await ann.does(api.updatePresence, { status: 'idle' })
  const before = await stored(world, ann)
  await ben.registers({ fetch_event_types: [] })
  await ann.does(updateSettings, { presence_enabled: false })
  assert.deepEqual((await stored(world, ann))?.last_active_time, before?.last_active_time)
  assert.equal((await ben.receives('presence'))[0]?.presence.website?.status, 'idle')
})

test('a restricted guest neither sees hidden users nor receives their events', async () => {
  const { ann, ben, gus, ctx, realmId } = await newWorld()
  await restrictGuests({ ctx, realmId })
  await ben.sends({ to: [gus] })
  await gus.registers({ fetch_event_types: [] })

  await ann.does(api.updatePresence, { status: 'active' })
  await ben.does(api.updatePresence, { status: 'active' })

  assert.deepEqual(
    (await gus.receives('presence')).map(({ user_id }) => user_id),
    [ben.id],
  )
  const { presences } = await gus.does(api.updatePresence, { status: 'idle', slim_presence: true })
  assert.deepEqual(new Set(Object.keys(presences!)), new Set([String(ben.id), String(gus.id)]))
})

test('bots, and statuses other than active and idle, are refused', async () => {
  const { ann, add } = await newWorld()
  const bot = await add('helper', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  assert.equal((await bot.isRefused(api.updatePresence, { status: 'active' })).code, 'BAD_REQUEST')
  assert.equal((await ann.isRefused(api.updatePresence, { status: 'asleep' })).code, 'BAD_REQUEST')
  assert.equal((await ann.isRefused(api.updatePresence)).code, 'REQUEST_VARIABLE_MISSING')
  assert.equal((await ann.isRefused(api.updatePresence, { status: 'idle', last_update_id: -2 })).code, 'BAD_REQUEST')
})

test('registering returns presences in the format of the client', async () => {
  const { ann, ben, host } = await newWorld()
  const none = await ben.registers({ fetch_event_types: ['presence'] })
  assert.deepEqual([none.presences, none.presence_last_update_id], [{}, -1])
  await ann.does(api.updatePresence, { status: 'active' })

  const legacy = await ben.registers({ fetch_event_types: ['presence'] })
  const slim = await ben.registers({ fetch_event_types: ['presence'], slim_presence: true })
  const without = await ben.registers({ fetch_event_types: ['presence'], presence_history_limit_days: 0 })

  assert.deepEqual(Object.keys(legacy.presences!), [`ann@${host}`])
  assert.deepEqual(Object.keys(slim.presences!), [String(ann.id)])
  assert.deepEqual(without.presences, {})
  assert.equal(typeof legacy.server_timestamp, 'number')
})

test('presence of another organization is not seen', async () => {
  const { ann } = await newWorld()
  const elsewhere = await newWorld()
  await elsewhere.ann.does(api.updatePresence, { status: 'active' })
  assert.deepEqual((await ann.does(api.getRealmPresence)).presences, {})
})
