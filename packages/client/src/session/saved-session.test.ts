import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueueEvent } from '@parley/api/events'
import { MemoryStorage } from '../testing.ts'
import { Saver } from './saved-session.ts'

const event = (id: number, type = 'presence') => ({ id, type }) as unknown as QueueEvent

/** A saver whose quiet moments the test decides about. */
function newSaver() {
  const storage = new MemoryStorage()
  const quiet: (() => void)[] = []
  let last_event_id = 10
  const source = {
    state: () => ({ queue_id: 'q1', last_event_id, state: {} }),
    messages: () => ({ last_event_id, windows: [], messages: [] }),
  }
  const saver = new Saver(storage, source, (work) => quiet.push(work))
  saver.isOn = true
  const apply = (one: QueueEvent) => {
    last_event_id = one.id
    saver.addEvent(one)
  }
  return { saver, storage, apply, rest: () => quiet.splice(0).forEach((work) => void work()) }
}

test('the state is saved when the user rests, and later events after it', async () => {
  const { saver, storage, apply, rest } = newSaver()
  saver.restart()
  apply(event(11))
  await saver.flush()
  assert.equal(await storage.load(), undefined)
  rest()
  apply(event(12))
  apply(event(13, 'typing'))
  await saver.flush()
  const saved = (await storage.load())!
  assert.equal(saved.state.last_event_id, 11)
  assert.deepEqual(saved.events, [event(12)])
})

test('after many events the state is saved again, and they are removed', async () => {
  const { saver, storage, apply, rest } = newSaver()
  await saver.saveAll()
  for (let id = 11; id < 600; id++) apply(event(id))
  await saver.flush()
  assert.equal((await storage.load())!.events.length, 589)
  rest()
  const saved = (await storage.load())!
  assert.deepEqual([saved.state.last_event_id, saved.events], [599, []])
})

test('after a failed write, no event follows without a new state', async () => {
  const { saver, storage, apply } = newSaver()
  await saver.saveAll()
  storage.isBroken = true
  apply(event(11))
  await saver.flush()
  storage.isBroken = false
  apply(event(12))
  await saver.flush()
  assert.deepEqual((await storage.load())!.events, [])
  assert.equal(await saver.saveAll(), true)
  assert.equal((await storage.load())!.state.last_event_id, 12)
})

test('nothing is written by a tab that does not lead', async () => {
  const { saver, storage, rest } = newSaver()
  saver.isOn = false
  saver.restart()
  saver.messagesChanged()
  rest()
  assert.equal(await storage.load(), undefined)
})
