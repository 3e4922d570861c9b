import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getOwnUser } from '@parley/api/people/users'
import pg from 'pg'
import { query } from '../../platform/postgres/test-support.ts'
import { runCommand } from '../../testing/command.ts'
import { usedWorld } from '../../testing/importing/used-world.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { commandIn, environmentOf, stringIdOf } from '../../testing/world-command.ts'
import { beginDeletion, deleteRealmRows } from './delete-realm.ts'
import { tablesInOrder } from './tables.ts'

async function withClient<T>({ ownerUrl }: World, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  return work(client).finally(() => client.end())
}

/** The tables that have rows of the organization. */
function tablesWith(world: World): Promise<string[]> {
  return withClient(world, async (client) => {
    const found = []
    for (const { name } of await tablesInOrder(client)) {
      const { rowCount } = await client.query(`select 1 from ${name} where realm_id = $1 limit 1`, [world.realmId])
      if (rowCount) found.push(name)
    }
    return found
  })
}

async function filesOf({ ctx, realmId }: World): Promise<string[]> {
  const paths = []
  for await (const { path } of ctx.files.list()) if (path.includes(`/${realmId}/`)) paths.push(path)
  return paths
}

const skip = process.env.PARLEY_TEST_FILES_URL ? 'commands of the tests use the folder' : false

test('no row in any table and no file of a deleted organization is left, and others keep theirs', {
  skip,
}, async () => {
  const [world, other] = [await usedWorld(), await usedWorld()]
  const before = { tables: await tablesWith(other), files: await filesOf(other) }
  assert.ok(before.tables.length > 30 && before.files.length > 1, `${before.tables}; ${before.files}`)

  const { code, output } = await commandIn(world, 'realm', 'delete', '--yes')

  assert.equal(code, 0, output)
  assert.match(output, /^Deleted Test: \d+ rows and \d+ files\. Backups still contain it\.\n$/)
  assert.deepEqual([await tablesWith(world), await filesOf(world)], [[], []])
  assert.deepEqual(await query(world.ownerUrl, `select 1 from realms where id = ${world.realmId}`), [])
  assert.deepEqual(await tablesWith(other), before.tables)
  assert.deepEqual(await filesOf(other), before.files)
  await other.ann.does(getOwnUser)
  assert.notEqual((await world.ann.request(getOwnUser, {})).status, 200)
})

test('an interrupted deletion is continued, and the organization cannot be reactivated', async () => {
  const world = await usedWorld()
  const { ctx, realmId } = world
  await beginDeletion(ctx, realmId)
  let parts = 0
  const interrupted = withClient(world, (client) =>
    deleteRealmRows(client, realmId, () => {
      if (++parts === 40) throw new Error('killed')
    }),
  )
  await assert.rejects(interrupted, /killed/)

  const reactivated = await commandIn(world, 'realm', 'reactivate')
  const repeated = await commandIn(world, 'realm', 'delete', '--yes')

  assert.match(reactivated.output, /^The deletion of the organization has begun, and it cannot be reactivated\./)
  assert.equal(repeated.code, 0, repeated.output)
  assert.deepEqual(await tablesWith(world), [])
})

test('without --yes the name must be typed', async () => {
  const world = await newWorld()
  const args = ['realm', 'delete', '--realm', await stringIdOf(world)]
  const refused = await runCommand(args, { env: environmentOf(world), input: 'test\n' })
  assert.match(refused.output, /^Nothing was deleted: that is not the name of the organization\./)
  await world.ann.does(getOwnUser)
  assert.equal((await runCommand(args, { env: environmentOf(world), input: 'Test\n' })).code, 0)
})

test('an organization is renamed, and moved to another host that is free', async () => {
  const [world, other] = [await newWorld(), await newWorld()]
  const { ctx, realmId } = world
  const hostOf = async (id: number) => (await ctx.realms.get(id)).realm.host!
  await world.ann.registers()

  assert.equal((await commandIn(world, 'realm', 'rename', 'Acme')).output, 'Test is now called Acme.\n')
  assert.match((await commandIn(world, 'realm', 'rename', ' ')).output, /must have 1 to 40 characters/)
  const taken = await commandIn(world, 'realm', 'set-host', await hostOf(other.realmId))
  assert.match(taken.output, /^Test answers there already\.$/m)
  assert.match((await commandIn(world, 'realm', 'set-host', 'a b')).output, /^The host must be a host name/)
  const host = `moved-${realmId}.example.com`
  assert.match((await commandIn(world, 'realm', 'set-host', host)).output, /^Acme answers on moved-/)
  const [row] = await query(world.ownerUrl, `select name, host from realms where id = ${realmId}`)
  assert.deepEqual(row, { name: 'Acme', host })
  assert.deepEqual(await query(world.ownerUrl, `select 1 from queues where realm_id = ${realmId}`), [])
})
