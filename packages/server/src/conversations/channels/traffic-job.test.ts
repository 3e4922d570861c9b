import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/conversations/subscriptions'
import { sql } from 'kysely'
import { newWorld, type World } from '../../testing/world.ts'
import { refreshChannelTraffic } from './traffic-job.ts'

/** Backdates the channel, and adds messages that are three weeks old. */
async function withTraffic({ ctx, realmId, ann }: World, days: number, messages: number): Promise<void> {
  await ann.does(api.subscribe, { subscriptions: [{ name: 'x' }] })
  await sql`update channels set date_created = now() - make_interval(days => ${days}) where realm_id = ${realmId}`.execute(
    ctx.db,
  )
  await sql`delete from messages where realm_id = ${realmId}`.execute(ctx.db)
  await sql`
    insert into messages (realm_id, id, recipient_id, channel_id, sender_id, date_sent, client, content, rendered_content)
    select c.realm_id, n, c.recipient_id, c.id, ${ann.id}, now() - make_interval(days => case when n <= 10 then 40 else 6 end),
           'test', '', ''
      from channels c, generate_series(1, ${messages + 10}) n where c.realm_id = ${realmId}`.execute(ctx.db)
}

async function trafficAfter(days: number, messages: number): Promise<number | null | undefined> {
  const world = await newWorld()
  await withTraffic(world, days, messages)
  await refreshChannelTraffic(world.ctx.db)
  return (await world.ann.does(api.getSubscriptions)).subscriptions[0]?.stream_weekly_traffic
}

test('traffic is the weekly average of four weeks, rounded to two digits, and null in the first week', async () => {
  assert.equal(await trafficAfter(3, 50), null)
  assert.equal(await trafficAfter(60, 0), 0)
  assert.equal(await trafficAfter(60, 1), 1)
  assert.equal(await trafficAfter(60, 4938), 1200)
  assert.equal(await trafficAfter(14, 50), 25)
})
