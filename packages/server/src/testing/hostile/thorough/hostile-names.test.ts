import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Operation } from '@parley/api/operation'
import { operationList, operations } from '@parley/api/operations'
import type { Actor } from '../../actor.ts'
import { fingerprint } from '../../fingerprint.ts'
import { callable, type PopulatedWorld, populate, requestFor, sampleOf } from '../../samples.ts'
import { newWorld } from '../../world.ts'
import { assertHarmless, type Hostile, hostileNames, hostileRequests, lookedUp } from '../hostile-names.ts'

let world: PopulatedWorld

before(async () => {
  world = await populate(await newWorld())
  await newWorld() // of several organizations, none can begin maintenance for all
})

type Attempt = Hostile & { operation: Operation; by: Actor }

/** Bytes that are invalid UTF-8, where a lone surrogate cannot be written. */
const inUrl = (text: string) => text.replaceAll(encodeURIComponent('\ufffd'), '%ED%A0%80')

async function statusOf({ operation, by, position, path, params }: Attempt): Promise<number> {
  const parts = Object.entries(path).map(([key, value]) => [key, String(value).toWellFormed()])
  const encoding = operation.method === 'GET' ? 'query' : 'json'
  const { url, headers, ...request } = requestFor({ operation, by, path: Object.fromEntries(parts), params }, encoding)
  const response = await world.app.inject({ ...request, url: inUrl(url), headers: { ...headers, ...by.headers } })
  const what = `${operation.name}, ${position}: ${response.statusCode} ${response.body.slice(0, 300)}`
  assertHarmless(response, what)
  if (operation.name === 'register' && response.statusCode === 200) await checkDelivery(by, response.json(), what)
  return response.statusCode
}

/** An accepted queue must survive the next message. */
async function checkDelivery(by: Actor, { queue_id }: { queue_id: string }, what: string): Promise<void> {
  await by.sends({ channel: 'verona' })
  const { status } = await by.request(operations.getEvents, { queue_id, last_event_id: -1, dont_block: true })
  assert.equal(status, 200, what)
}

/** Terms of every form, because the operator decides which operands are valid. */
const narrow = [
  { operator: 'is', operand: 'starred' },
  { operator: 'has', operand: 'link' },
  { operator: 'channel', operand: 'verona' },
]
/** Queues take pairs, and no `has`. */
const pairs = [
  ['is', 'starred'],
  ['channel', 'verona'],
]
const narrows: Record<string, unknown> = { register: pairs, getEvents: pairs }

/** Tries the names in every position of an operation. A refused request changes nothing, even when repeated. */
async function tryEverywhere(operation: Operation, names: string[]): Promise<number> {
  const attempts: Attempt[] = []
  const refused: Attempt[] = []
  for (const name of names) {
    const { by, path, params: usual } = await sampleOf(operation, world)
    const params = 'narrow' in operation.params ? { ...usual, narrow: narrows[operation.name] ?? narrow } : usual
    attempts.push(...hostileRequests(operation, { path, params }, name).map((one) => ({ ...one, operation, by })))
  }
  for (const attempt of attempts) if ((await statusOf(attempt)) !== 200) refused.push(attempt)
  let before = await fingerprint(world)
  for (const attempt of refused.slice(0, 60)) if ((await statusOf(attempt)) === 200) before = await fingerprint(world)
  assert.deepEqual(await fingerprint(world), before, `${operation.name}: a refused request changed something`)
  return attempts.length
}

/** The number of exports per week is limited. */
const operationsToTry = callable().filter(({ name }) => name !== 'exportRealm')

test('names with a special meaning in JavaScript are ordinary in every position of every operation', async () => {
  let positions = 0
  const [first, second, ...others] = lookedUp as [string, string, ...string[]]
  for (const [index, operation] of operationsToTry.entries()) {
    const names = [first, second, others[index % others.length]!]
    positions += await tryEverywhere(operation, process.env.HOSTILE === 'all' ? lookedUp : names)
  }
  assert.ok(positions > 1000, `only ${positions}`)
})

test('text with a special meaning for PostgreSQL, terminals or headers is harmless in every position', async () => {
  const others = hostileNames.slice(lookedUp.length)
  for (const [index, operation] of operationsToTry.entries())
    await tryEverywhere(
      operation,
      [0, 5, 10].map((shift) => others[(index + shift) % others.length]!),
    )
})

/** hostile-names-unusual.test.ts covers these, which have limits or forms of their own. */
test('every operation with text is covered', () => {
  const left = operationList.filter((operation) => !operationsToTry.includes(operation)).map(({ name }) => name)
  assert.deepEqual(left.sort(), [
    'createSession',
    'deactivateRealm', // no text
    'devFetchApiKey',
    'devListUsers', // no text
    'endCurrentSession', // no text
    'exportRealm',
    'fetchApiKey',
    'jwtFetchApiKey',
    'sendTestNotification',
    'uploadAvatar',
    'uploadEmoji',
    'uploadFile',
    'uploadRealmIcon', // stores nothing but pixels
    'uploadRealmLogo',
  ])
})

test('afterwards no object prototype is polluted, and the server works', async () => {
  assert.deepEqual(Object.keys(Object.prototype), [])
  assert.equal(({} as Record<string, unknown>).x, undefined)
  const { user_id } = await world.olga.does(operations.getOwnUser)
  assert.equal(user_id, world.olga.id)
})
