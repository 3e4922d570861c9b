import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/conversations/uploads'
import { isRefusedUpload, upload } from '../../testing/files.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { catchUp, commandIn } from '../../testing/world-command.ts'

async function change(world: World, ...args: string[]) {
  const result = await commandIn(world, 'realm', ...args)
  await catchUp(world)
  return result
}

test('one organization gets a quota for uploads, and another one keeps that of the server', async () => {
  const [world, other] = [await newWorld(), await newWorld()]
  const { app, ann } = world
  const large = { content: Buffer.alloc(1024 * 1024 + 1) }

  await verifyEvents([ann], () => change(world, 'set-quota', '1'))
  assert.equal((await isRefusedUpload(app, ann, api.uploadFile, {}, large)).code, 'REALM_UPLOAD_QUOTA')
  await upload(other, other.ann, large)
  assert.equal((await change(world, 'set-quota', 'default')).output, 'The uploads of Test have no limit.\n')
  await upload(world, ann, large)
})

test('one organization gets a period for its messages, with the event and the audit row of the setting', async () => {
  const world = await newWorld()
  const { ann, ctx, realmId } = world
  await verifyEvents([ann], () => change(world, 'set-retention', '30'))

  const rows = ctx.db.selectFrom('audit_log').select(['action', 'via']).where('realm_id', '=', realmId)
  assert.deepEqual(await rows.orderBy('number', 'desc').limit(1).execute(), [
    { action: 'realm_updated', via: 'command' },
  ])
  assert.equal((await ctx.realms.get(realmId)).realm.settings.message_retention_days, 30)
  assert.match((await commandIn(world, 'realm', 'set-retention', 'forever')).output, /keeps its messages for ever/)
})

test('a period or quota that is no number is refused and changes nothing', async () => {
  const world = await newWorld()
  for (const [command, value] of [
    ['set-retention', '0'],
    ['set-retention', 'soon'],
    ['set-quota', '1.5'],
  ] as const) {
    const { code, output } = await commandIn(world, 'realm', command, value)
    assert.equal(code, 1)
    assert.match(output, /^This must be a whole number from/)
  }
  assert.equal((await world.ctx.realms.get(world.realmId)).realm.settings.message_retention_days, -1)
})
