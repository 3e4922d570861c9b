import assert from 'node:assert/strict'
import { test } from 'node:test'
import { query } from '../../../platform/postgres/test-support.ts'
import { newWorld } from '../../../testing/world.ts'

test('text indexes of messages are merged in small steps, because all sends wait for a step', async () => {
  const { ownerUrl } = await newWorld()
  const indexes = await query(
    ownerUrl,
    `select c.relname as name, array_to_string(c.reloptions, ' ') as options
       from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam
      where i.indrelid = 'messages'::regclass and m.amname = 'gin'`,
  )
  assert.ok(indexes.length > 0)
  assert.deepEqual(
    indexes.filter(({ options }) => options !== 'gin_pending_list_limit=256'),
    [],
  )
})
