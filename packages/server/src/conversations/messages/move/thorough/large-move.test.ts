import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { inChannel } from '../../../../testing/channels.ts'
import { edits } from '../../../../testing/editing.ts'
import { fillTopic } from '../../../../testing/stored-moves.ts'
import { newWorld } from '../../../../testing/world.ts'

test('a move of few messages is done in parts if many users have not read them', async () => {
  const world = await newWorld()
  const { ann, ben, ctx, realmId } = world
  await inChannel('verona', [ann, ben])
  const ids = await fillTopic(world, await ann.sends({ channel: 'verona', topic: 'castle' }), 50)
  const wide = await inChannel('wide', [ann, ben])
  await sql`
    insert into users (realm_id, email, email_key, full_name, role, api_key_hash, api_key_sealed)
    select ${realmId}, n || '@test', n || '@test', 'Many', 400, sha256(n::text::bytea), '' from generate_series(1, 500) n`.execute(
    ctx.db,
  )
  await sql`
    with added as (
      insert into subscriptions (realm_id, user_id, channel_id, is_active, color)
      select realm_id, id, ${wide}, true, '#76ce90' from users where realm_id = ${realmId} and full_name = 'Many'
      returning user_id)
    insert into subscription_periods (realm_id, user_id, channel_id, from_event, from_message)
    select ${realmId}, user_id, ${wide}, 0, 0 from added`.execute(ctx.db)
  await ben.registers()
  await edits(ann, ids[0]!, { stream_id: wide, propagate_mode: 'change_all', send_notification_to_new_thread: false })
  const events = await ben.receives('update_message')
  assert.ok(events.length > 1)
  assert.deepEqual(
    events.flatMap(({ message_ids }) => message_ids),
    ids,
  )
})
