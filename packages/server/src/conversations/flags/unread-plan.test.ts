import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { loadCaller } from '../../callers/caller.ts'
import { createPool } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import { inChannel } from '../../testing/channels.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { readNarrow } from '../messages/fetch/narrow.ts'
import { unreadMessages } from '../messages/model/read-state.ts'

/** A realm with many messages, most of them in a channel that ben is not subscribed to. */
async function busyWorld() {
  const world = await newWorld()
  const { ann, ben, ctx, ownerUrl, realmId } = world
  await inChannel('verona', [ann, ben])
  await inChannel('elsewhere', [ann])
  for (const channel of ['verona', 'elsewhere']) await ann.sends({ channel })
  await sql`
    insert into messages (realm_id, id, recipient_id, channel_id, topic_id, sender_id, date_sent, client, content, rendered_content)
    select m.realm_id, 1000 + n, m.recipient_id, m.channel_id, m.topic_id, m.sender_id, m.date_sent, m.client, 'x', 'x'
      from generate_series(1, 20000) n
      join (select m.*, row_number() over (order by id) as place from messages m where realm_id = ${realmId} and topic_id is not null
             and client = 'ParleyTest') m
        on m.place = case when n % 100 = 0 then 1 else 2 end`.execute(ctx.db)
  const owner = createPool({ url: ownerUrl, log: () => {} })
  await owner.query('vacuum analyze messages').finally(() => owner.end())
  const caller = (await loadCaller(ctx.db, await ctx.realms.get(realmId), ben.id))!
  return { ...world, caller }
}

async function planOf({ ctx }: Pick<World, 'ctx'>, query: RawBuilder<unknown>): Promise<string> {
  const rows = await many<Record<string, string>>(ctx.db)`explain ${query}`
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

test('unread messages are read with an index-only scan by conversation', async () => {
  const world = await busyWorld()
  const plan = await planOf(world, sql`select id from (${unreadMessages(world.caller)}) u`)
  assert.match(plan, /Index Only Scan using messages_by_recipient/)
  assert.doesNotMatch(plan, /Seq Scan on messages/)
})

test('the newest messages are read from an index', async () => {
  const world = await busyWorld()
  const { from, where } = await readNarrow(world.ctx.db, world.caller, [])
  const plan = await planOf(world, sql`select m.id from ${from} where ${where} order by m.id desc limit 100`)
  assert.match(plan, /using messages_/)
  assert.doesNotMatch(plan, /Seq Scan on messages/)
})
