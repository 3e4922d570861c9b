import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { QueueEvent } from '@parley/api/events'
import { createStore, type Store } from '@parley/client/store/store'
import { allCapabilities } from '@parley/client/wire/events'
import type { Actor } from './actor.ts'

type RegisterParams = NonNullable<Parameters<Actor['registers']>[0]>

/** All state and all events. */
export const everything: RegisterParams = {
  client_capabilities: allCapabilities,
  include_subscribers: true,
  // An event cannot know whether its reader computes avatar URLs, so it includes them.
  client_gravatar: false,
  slim_presence: true,
}

/**
 * The capabilities of an old client. It cannot inherit a setting, but events, unlike states, do not account for that.
 */
export const legacyClient: RegisterParams = {
  client_capabilities: { notification_settings_null: true },
  include_subscribers: false,
  client_gravatar: false,
}

/** Fields that differ in every registration, or that are not kept up to date. */
const volatile = ['queue_id', 'last_event_id', 'server_timestamp', 'presence_last_update_id', 'result', 'msg']

/**
 * The guarantee that clients rely on: registered state + events since then = current state. With `mayEnd`, queues may end instead,
 * after which clients load everything again.
 */
export async function verifyEvents(
  viewers: Actor[],
  act: () => Promise<unknown>,
  params = everything,
  mayEnd = false,
): Promise<void> {
  const stores = new Map<Actor, Store>()
  for (const viewer of viewers) stores.set(viewer, createStore(await viewer.registers(params)))
  await act()
  for (const [viewer, store] of stores) {
    const events = await (mayEnd ? readUnlessEnded(viewer) : viewer.reads())
    if (!events) continue
    for (const event of events) applyWatched(store, event)
    const now = createStore(await viewer.registers(params))
    differNowhere(store.snapshot(), now.snapshot(), describe(viewer, events))
  }
}

type Snapshots = Map<string, { json: string; version: number }>

/** Applies an event. Slices that it changes must say so, because readers compare only versions. */
function applyWatched(store: Store, event: QueueEvent): void {
  const before = snapshotsOf(store)
  store.apply(event)
  const silent = [...snapshotsOf(store)].filter(([name, { json, version }]) => {
    const old = before.get(name)!
    return json !== old.json && version === old.version
  })
  const names = silent.map(([name]) => name)
  assert.deepEqual(names, [], `add ${event.type} to the events of these slices in packages/client/src/store`)
}

function snapshotsOf(store: Store): Snapshots {
  return new Map(
    store.sliceNames.map((name) => [
      name,
      { json: JSON.stringify(store[name].snapshot()), version: store.versionOf([name]) },
    ]),
  )
}

async function readUnlessEnded(viewer: Actor): Promise<QueueEvent[] | undefined> {
  try {
    return await viewer.reads()
  } catch (error) {
    if ((error as Error).message.includes('BAD_EVENT_QUEUE_ID')) return undefined
    throw error
  }
}

function describe({ name }: Actor, events: QueueEvent[]): string {
  const received = events.map((event) => ('op' in event ? `${event.type}/${event.op}` : event.type)).join(', ')
  return `the events of ${name} (${received || 'none'}) do not lead to the current state`
}

type State = Record<string, unknown>

/** Shows only the differences; a whole state has hundreds of fields. */
export function differNowhere(known: State, now: State, message: string): void {
  const fields = Object.keys({ ...known, ...now }).filter((field) => !volatile.includes(field))
  const differing = fields.filter(
    (field) => !isDeepStrictEqual(known[field], now[field]) && !isOfDeleted(field, known, now),
  )
  assert.deepEqual(pick(known, differing), pick(now, differing), message)
}

/** The event of a deletion does not say which message is the newest now. */
function isOfDeleted(field: string, known: State, now: State): boolean {
  return field === 'max_message_id' && Number(known[field]) > Number(now[field])
}

function pick(state: State, fields: string[]): State {
  return Object.fromEntries(fields.map((field) => [field, state[field]]))
}
