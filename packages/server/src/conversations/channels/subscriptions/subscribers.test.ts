import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as subscriptions from '@parley/api/conversations/subscriptions'
import * as queues from '@parley/api/delivery/queues'
import { sql } from 'kysely'
import { column } from '../../../platform/db/query.ts'
import { inChannel } from '../../../testing/channels.ts'
import { newWorld, type World } from '../../../testing/world.ts'

/** Creates subscribers who have never been online. */
async function crowd({ ctx, realmId }: World, channel: number, count: number): Promise<number[]> {
  const ids = await column<number>(ctx.db)`
    insert into users (realm_id, email, email_key, full_name, role, api_key_hash, api_key_sealed)
    select ${realmId}, e, e, e, 400, sha256(e::bytea), '' from (select 'crowd' || n || '@x.test' as e from generate_series(1, ${count}) n) n
    returning id`
  await sql`insert into subscriptions (realm_id, user_id, channel_id, is_active, color)
            select ${realmId}, u, ${channel}, true, '#76ce90' from unnest(${ids}::bigint[]) u`.execute(ctx.db)
  return ids
}

test('a client that asks for partial subscribers gets only recently active users and bots of large channels', async () => {
  const world = await newWorld()
  const { ann, ben, mona, add, ctx, realmId } = world
  const bot = await add('robot', 400, { bot_type: 1, bot_owner_id: ann.id })
  const large = await inChannel('large', [ann, ben, mona, bot])
  const small = await inChannel('small', [ann, ben])
  await crowd(world, large, 260)
  for (const [{ id }, days] of [
    [ann, 1],
    [ben, 13],
    [mona, 15],
  ] as const)
    await sql`insert into presence (realm_id, user_id, last_connected_time, update_id)
              values (${realmId}, ${id}, now() - make_interval(days => ${days}), 1)`.execute(ctx.db)

  const state = await ann.does(queues.register, { include_subscribers: 'partial' })

  const subscriptionTo = (id: number) => state.subscriptions!.find(({ stream_id }) => stream_id === id)!
  assert.deepEqual(
    subscriptionTo(large).partial_subscribers,
    [ann.id, ben.id, bot.id].sort((a, b) => a - b),
  )
  assert.equal('subscribers' in subscriptionTo(large), false)
  assert.deepEqual(subscriptionTo(small).subscribers, [ann.id, ben.id])
  const { subscriptions: all } = await ann.does(queues.register, { include_subscribers: true })
  assert.equal(all!.find(({ stream_id }) => stream_id === large)!.subscribers!.length, 264)
})

test('deactivated users are not listed as subscribers', async () => {
  const world = await newWorld()
  const { ann, ben, ctx, realmId } = world
  const id = await inChannel('verona', [ann, ben])
  await sql`update users set is_active = false where realm_id = ${realmId} and id = ${ben.id}`.execute(ctx.db)
  const state = await ann.does(queues.register, { include_subscribers: true })
  const own = await ann.does(subscriptions.getSubscriptions, { include_subscribers: true })
  for (const list of [state.subscriptions!, own.subscriptions])
    assert.deepEqual(list.find(({ stream_id }) => stream_id === id)!.subscribers, [ann.id])
})
