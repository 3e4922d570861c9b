import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '@parley/api/operation'
import { operations } from '@parley/api/operations'
import fc from 'fast-check'
import type { Actor } from './actor.ts'
import { everything, legacyClient, verifyEvents } from './verify-events.ts'
import { newWorld, type World } from './world.ts'

/** A user of the cast tries something; the server decides whether they may. */
interface Step {
  who: number
  what: keyof typeof operations
  /** Users, in `to` and `principals`, by their index in the cast. */
  params: Record<string, unknown>
}

const person = fc.nat(5)
const users = fc.uniqueArray(person, { minLength: 1, maxLength: 3 })
const channel = fc.constantFrom('verona', 'den', 'vault', 'attic')
const content = fc.constantFrom('hello', '@**Ben** hello', '@**all** hello', '@**topic** hello', '/me waves')

function stepOf(what: Step['what'], params: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Step> {
  return fc.record({ who: person, what: fc.constant(what), params: fc.record(params) })
}

const step = fc.oneof(
  stepOf('sendMessage', {
    type: fc.constant('stream'),
    to: channel,
    topic: fc.constantFrom('a', 'A', 'b', ''),
    content,
    read_by_sender: fc.boolean(),
  }),
  stepOf('sendMessage', { type: fc.constant('direct'), to: users, content }),
  stepOf('updateMessageFlags', {
    op: fc.constantFrom('add', 'remove'),
    flag: fc.constantFrom('read', 'read', 'starred'),
    messages: fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 }),
  }),
  stepOf('subscribe', {
    subscriptions: channel.map((name) => [{ name }]),
    principals: users,
    invite_only: fc.boolean(),
    is_default_stream: fc.constantFrom(false, false, true),
  }),
  stepOf('unsubscribe', {
    subscriptions: channel.map((name) => [name]),
    principals: fc.option(users, { nil: undefined }),
  }),
)
const steps = fc.array(step, { minLength: 6, maxLength: 20, size: 'max' })

function castOf({ olga, adam, mona, ann, ben, gus }: World): Actor[] {
  return [olga, adam, mona, ann, ben, gus]
}

/** All users are in verona, and half of them in each of the private channels; the attic does not exist yet. */
async function furnish(cast: Actor[]): Promise<void> {
  const open = (name: string, principals: number[], more: object = {}) =>
    take(cast, { who: 3, what: 'subscribe', params: { subscriptions: [{ name }], principals, ...more } })
  await open('verona', [0, 1, 2, 3, 4, 5])
  await open('den', [1, 3, 5], { invite_only: true, history_public_to_subscribers: true })
  await open('vault', [2, 3, 4], { invite_only: true })
}

async function take(cast: Actor[], { who, what, params }: Step): Promise<string> {
  const { status } = await cast[who]!.request(operations[what] as Operation, named(cast, params))
  assert.ok(status < 500, `${what} ${JSON.stringify(params)}: ${status}`)
  return `${status} ${cast[who]!.name} ${what} ${JSON.stringify(params)}`
}

function named(cast: Actor[], params: Step['params']): Record<string, unknown> {
  const ids = (value: unknown) => (Array.isArray(value) ? value.map((place) => cast[place]!.id) : value)
  return { ...params, to: ids(params.to), principals: ids(params.principals) }
}

/** The walk checks both the state of the listeners and their events. */
async function walk(before: Step[], after: Step[], registration: typeof everything): Promise<void> {
  const cast = castOf(await newWorld())
  await furnish(cast)
  const log: string[] = []
  for (const one of before) log.push(await take(cast, one))
  log.push('now they listen')
  const goOn = async () => {
    for (const one of after) log.push(await take(cast, one))
  }
  await verifyEvents(cast, goOn, registration).catch((error: Error) =>
    assert.fail(`${log.join('\n')}\n${error.message}`),
  )
}

test('old state + events = new state after any sequence of actions', async () => {
  const numRuns = Number(process.env.PARLEY_WALKS ?? 10)
  const property = fc.asyncProperty(steps, steps, fc.constantFrom(everything, legacyClient), walk)
  await fc.assert(property, { numRuns, interruptAfterTimeLimit: numRuns * 2000, markInterruptAsFailure: false })
})
