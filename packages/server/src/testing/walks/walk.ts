import assert from 'node:assert/strict'
import type { Operation } from '@parley/api/operation'
import { operations } from '@parley/api/operations'
import fc from 'fast-check'
import type { Actor } from '../actor.ts'
import { everything, legacyClient, verifyEvents } from '../verify-events.ts'
import { newWorld } from '../world.ts'
import { actors, anySteps, channelNames, groupNames, plainSteps, Reference, type Step } from './walk-steps.ts'

/** The users, channels and groups of a world, in the order in which the steps refer to them. */
interface Setting {
  cast: Actor[]
  ids: Record<Reference['kind'], number[]>
}

/** All users are in verona, and half of them in each of the private channels; the attic does not exist yet. */
async function newSetting(): Promise<Setting> {
  const { olga, adam, mona, ann, ben, gus, add } = await newWorld()
  const cast = [olga, adam, mona, ann, ben, gus, await add('dora')]
  const ids = { user: cast.map(({ id }) => id), channel: [], group: [] }
  const open = (name: string, members: number[], more: object = {}) =>
    ann.does(operations.subscribe, {
      subscriptions: [{ name }],
      principals: members.map((index) => cast[index]!.id),
      ...more,
    } as never)
  await open('verona', [0, 1, 2, 3, 4, 5, 6])
  await open('den', [1, 3, 5, 6], { invite_only: true, history_public_to_subscribers: true })
  await open('vault', [2, 3, 4], { invite_only: true })
  for (const name of groupNames.slice(-2))
    await olga.does(operations.createUserGroup, { name, description: '', members: [ann.id, gus.id] })
  return { cast, ids: { ...ids, ...(await readIds(cast[0]!)) } }
}

async function readIds(owner: Actor) {
  const { streams } = await owner.does(operations.getChannels, { include_all: true } as never)
  const { user_groups } = await owner.does(operations.getUserGroups)
  return {
    channel: channelNames.map((name) => streams.find((one) => one.name === name)?.stream_id ?? 0),
    group: groupNames.map((name) => user_groups.find((one) => one.name === name)!.id),
  }
}

async function take(setting: Setting, { who, what, params }: Step): Promise<string> {
  const known = resolve(params, setting) as Record<string, unknown>
  const { status } = await setting.cast[who]!.request(operations[what] as Operation, known)
  const described = `${status} ${setting.cast[who]!.name} ${what} ${JSON.stringify(known)}`
  assert.ok(status < 500, described)
  return described
}

/** With ids in place of references. */
function resolve(value: unknown, setting: Setting): unknown {
  if (value instanceof Reference) return setting.ids[value.kind][value.index]
  if (Array.isArray(value)) return value.map((one) => resolve(one, setting))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolve(one, setting)]))
}

/** The walk checks both the state of the listeners and their events. */
async function walk(before: Step[], after: Step[], registration: typeof everything): Promise<void> {
  const setting = await newSetting()
  const log: string[] = []
  for (const one of before) log.push(await take(setting, one))
  log.push('now they listen')
  const goOn = async () => {
    for (const one of after) log.push(await take(setting, one))
  }
  await verifyEvents(setting.cast.slice(0, actors), goOn, registration, true).catch((error: Error) =>
    assert.fail(`${log.join('\n')}\n${error.message}`),
  )
}

/** Old clients learn nothing of archived channels, so that their unread messages are not kept up to date. */
const kinds = fc.oneof(
  fc.tuple(anySteps, anySteps, fc.constant(everything)),
  fc.tuple(plainSteps, plainSteps, fc.constant(legacyClient)),
)

/**
 * Lets users act at random, and compares what they know from events with a new registration. The same walks in each run, unless
 * PARLEY_SEED is set.
 */
export async function takeWalks(numRuns: number): Promise<void> {
  const property = fc.asyncProperty(kinds, (kind) => walk(...kind))
  const seed = Number(process.env.PARLEY_SEED ?? 1)
  await fc.assert(property, { seed, numRuns, interruptAfterTimeLimit: numRuns * 2000, markInterruptAsFailure: false })
}
