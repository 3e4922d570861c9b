import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { many, one } from '../../../platform/db/query.ts'
import { inChannel, joins, leaves } from '../../../testing/channels.ts'
import { newWorld } from '../../../testing/world.ts'
import { flagBits } from './flag-bits.ts'
import { isUnreadBy } from './read-state.ts'
import { wasReceived, wasSubscribed } from './received.ts'

test('a user was subscribed to the messages between subscribing and unsubscribing, both times', async () => {
  const { ann, ben, ctx, realmId } = await newWorld()
  const channel = await inChannel('verona', [ann])
  const ids = [await ann.sends({ channel: 'verona' })]
  for (const step of [joins, leaves, joins, leaves]) {
    await step(ben, 'verona')
    ids.push(await ann.sends({ channel: 'verona' }))
  }
  const starred = { realm_id: realmId, user_id: ben.id, message_id: ids[0]!, flags: flagBits.starred }
  await ctx.db.insertInto('message_flags').values(starred).execute()

  const recipient = { realm: realmId, user: ben.id, channel }
  const rows = await many<{ subscribed: boolean; received: boolean }>(ctx.db)`
    select ${wasSubscribed(recipient)} as subscribed, ${wasReceived(recipient)} as received
      from messages m where m.realm_id = ${realmId} and m.id = any(${ids}::bigint[]) order by m.id`

  assert.deepEqual(
    rows.map(({ subscribed }) => subscribed),
    [false, true, false, true, false],
  )
  assert.deepEqual(
    rows.map(({ received }) => received),
    [true, true, false, true, false], // the first because it has flags
  )
})

test('a message is unread above the read floor or with the unread flag, unless it is read or an own message', async () => {
  const { ctx } = await newWorld()
  const { read, unread } = flagBits
  const cases: [id: number, floor: number | null, flags: number | null, own: boolean, isUnread: boolean][] = [
    [6, 5, null, false, true],
    [5, 5, null, false, false],
    [6, 5, read, false, false],
    [5, 5, unread, false, true],
    [6, 5, null, true, false],
    [6, 5, unread, true, true],
    [6, null, unread, false, false], // not subscribed
  ]
  for (const [id, floor, flags, own, expected] of cases) {
    const { is_unread } = await one<{ is_unread: boolean }>(ctx.db)`
      select ${isUnreadBy({ user: 7, floor: sql`${floor}::bigint` })} as is_unread
        from (select ${id}::bigint as id, 7 as sender_id, ${own}::boolean as read_by_sender) m,
             (select ${flags}::integer as flags) f`
    assert.equal(is_unread, expected, JSON.stringify({ id, floor, flags, own }))
  }
})
