import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { operationList } from '@parley/api/operations'
import * as users from '@parley/api/users'
import fc from 'fast-check'
import { type Junk, junk, junkFor } from './junk.ts'
import { furnish } from './samples.ts'
import { newWorld, type World } from './world.ts'

let world: World
let fingerprintQuery: string

before(async () => {
  world = await newWorld()
  await furnish(world)
  fingerprintQuery = await queryOfEverything()
})

/** What a request may change without doing anything: when a queue was last asked, how often somebody guessed. */
const notCompared = ['queues', 'login_failures']

/** One text for all rows of the realm, whatever tables there are. */
async function queryOfEverything(): Promise<string> {
  const { rows } = await world.ctx.pool.query<{ name: string }>(`
    select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_name)
     where c.column_name = 'realm_id' and c.table_schema = 'public' and t.table_type = 'BASE TABLE' order by 1`)
  const compared = rows.filter(({ name }) => !notCompared.includes(name))
  assert.ok(compared.length > 10)
  return `select ${compared.map(({ name }) => `(${hashOf(name)}) as ${name}`).join()}, (${countOf('queues')}) as queues`
}

const hashOf = (table: string) =>
  `select md5(coalesce(string_agg(t::text, ',' order by t::text), '')) from ${table} t where realm_id = $1`
const countOf = (table: string) => `select count(*)::text from ${table} where realm_id = $1`

async function fingerprint(): Promise<Record<string, string>> {
  const { rows } = await world.ctx.pool.query<Record<string, string>>(fingerprintQuery, [world.realmId])
  return rows[0]!
}

async function isAnsweredWell({ method, url, headers, payload }: Junk): Promise<void> {
  const earlier = await fingerprint()
  const response = await world.app.inject({
    method,
    url,
    headers: { ...world.adam.headers, ...headers },
    ...(payload !== undefined && { payload }),
  })
  const { statusCode: status } = response
  assert.ok(status < 500, `${status}: ${response.body}`)
  const body = response.json()
  assert.equal(body.result, status === 200 ? 'success' : 'error')
  assert.equal(typeof body.msg, 'string')
  if (status === 200) return
  assert.equal(typeof body.code, 'string')
  assert.deepEqual(await fingerprint(), earlier, 'a refused request changed something')
}

/** A failure prints the seed and the smallest request that fails. */
const settings = { numRuns: 400, interruptAfterTimeLimit: 15_000, markInterruptAsFailure: false }

test('whatever is thrown at the operations is answered in JSON, and what is refused changes nothing', async () => {
  await fc.assert(fc.asyncProperty(junk, isAnsweredWell), settings)
})

test('no operation is left out', async () => {
  for (const operation of operationList)
    await fc.assert(fc.asyncProperty(junkFor(operation), isAnsweredWell), { numRuns: 4 })
})

test('the server still works afterwards', async () => {
  const answer = await world.ann.does(users.getOwnUser)
  assert.equal(answer.user_id, world.ann.id)
})
