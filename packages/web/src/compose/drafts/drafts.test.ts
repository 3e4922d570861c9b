import '../../testing/english.ts'
import assert from 'node:assert/strict'
import { mock, type TestContext, test } from 'node:test'
import { createStore } from '@parley/client/store/store'
import type { Caller } from '@parley/client/wire/calls'
import { ConnectionError, ParleyError } from '@parley/client/wire/errors'
import { DraftBox, MemoryStorage } from './drafts.ts'

const topic = { stream_id: 1, topic: 'plans' }
const slot = '1 plans'

type Fields = Record<string, never>
type Answer = (name: string) => object

/** A box with a server that counts what is stored. */
function open(
  t: TestContext,
  { drafts = [] as object[], storage = new MemoryStorage(), answer }: Partial<Opened> = {},
) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000_000_000 })
  t.after(() => mock.timers.reset())
  const calls: string[] = []
  const store = createStore({ user_id: 9, drafts })
  const call = async (name: string, { path, draft, drafts: made }: Fields & { path?: { draft_id: number } }) => {
    const content = (draft ?? made?.[0] ?? { content: '' }) as { content: string }
    calls.push([name, path?.draft_id, content.content].filter(Boolean).join(' '))
    return answer?.(name) ?? { ids: [41] }
  }
  const box = new DraftBox({
    client: { call } as unknown as Caller,
    store: () => store,
    storage,
    exclusively: (work) => work(),
  })
  const event = (fields: object) => {
    store.apply({ id: 1, type: 'drafts', ...fields } as never)
    box.apply({ id: 1, type: 'drafts', ...fields } as never)
  }
  return { box, calls, storage, event }
}

interface Opened {
  drafts: object[]
  storage: MemoryStorage
  answer: Answer
}

const onServer = (id: number, content: string, timestamp = 999) => ({
  id,
  type: 'stream',
  to: [1],
  topic: 'plans',
  content,
  timestamp,
})

async function pass(milliseconds: number): Promise<void> {
  mock.timers.tick(milliseconds)
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

test('typing is kept at once, and on the server after two seconds of rest', async (t) => {
  const { box, calls } = open(t)
  box.write(slot, topic, 'Hel')
  await pass(1500)
  box.write(slot, topic, 'Hello')
  await pass(1500)
  assert.deepEqual(calls, [])
  assert.equal(box.read(slot)?.text, 'Hello')
  await pass(500)
  assert.deepEqual(calls, ['createDrafts Hello'])
})

test('a stored draft is edited, not created again', async (t) => {
  const { box, calls } = open(t)
  box.write(slot, topic, 'one')
  await pass(2000)
  box.write(slot, topic, 'two')
  await pass(2000)
  assert.deepEqual(calls, ['createDrafts one', 'editDraft 41 two'])
})

test('what survives a reload is not created again', async (t) => {
  const first = open(t)
  first.box.write(slot, topic, 'one')
  await pass(2000)
  mock.timers.reset()
  const second = open(t, { storage: first.storage, drafts: [onServer(41, 'one')] })
  second.box.start()
  await pass(2000)
  assert.equal(second.box.read(slot)?.text, 'one')
  assert.deepEqual(second.calls, [])
  assert.equal(second.box.list().length, 1)
})

test('a sent draft is deleted from the server, also while it is being created', async (t) => {
  const { box, calls } = open(t)
  box.write(slot, topic, 'one')
  mock.timers.tick(2000)
  while (calls.length === 0) await Promise.resolve()
  box.remove({ slot, draft: box.read(slot)! })
  await pass(0)
  await pass(5000)
  assert.deepEqual(calls, ['createDrafts one', 'deleteDraft 41'])
  assert.deepEqual(box.list(), [])
})

test('a draft from another device is shown and taken over', async (t) => {
  const { box, calls } = open(t, { drafts: [onServer(7, 'from the phone')] })
  box.start()
  assert.equal(box.read(slot)?.text, 'from the phone')
  assert.equal(box.list().length, 1)
  box.write(slot, topic, 'from the phone, and more')
  await pass(2000)
  assert.deepEqual(calls, ['editDraft 7 from the phone, and more'])
  assert.equal(box.list().length, 1)
})

test('a draft sent from another device disappears, unless it was changed here since', async (t) => {
  const { box, event } = open(t)
  box.write(slot, topic, 'one')
  await pass(2000)
  box.write('dm 5', { user_ids: [5] }, 'two')
  event({ op: 'add', drafts: [onServer(41, 'one')] })
  event({ op: 'remove', draft_id: 41 })
  assert.deepEqual(
    box.list().map(({ draft }) => draft.text),
    ['two'],
  )
})

test('text typed here is not replaced by an older change from elsewhere', async (t) => {
  const { box, event } = open(t)
  box.write(slot, topic, 'one')
  await pass(2000)
  box.write(slot, topic, 'one and more')
  event({ op: 'update', draft: onServer(41, 'elsewhere', 2_000_000_000) })
  assert.equal(box.read(slot)?.text, 'one and more')
})

test('newer text from elsewhere replaces what was not changed here', async (t) => {
  const { box, event } = open(t)
  box.write(slot, topic, 'one')
  await pass(2000)
  event({ op: 'update', draft: onServer(41, 'elsewhere', 2_000_000_000) })
  assert.equal(box.read(slot)?.text, 'elsewhere')
})

test('without a connection, storing is tried again', async (t) => {
  let isDown = true
  const answer = () => {
    if (isDown) throw new ConnectionError('down', undefined)
    return { ids: [41] }
  }
  const { box, calls } = open(t, { answer })
  box.write(slot, topic, 'one')
  await pass(2000)
  isDown = false
  await pass(15_000)
  assert.deepEqual(calls, ['createDrafts one', 'createDrafts one'])
})

test('a draft that the server no longer has is created again when it is changed', async (t) => {
  const answer = (name: string) => {
    if (name === 'editDraft') throw new ParleyError(404, { msg: 'Draft does not exist', code: 'BAD_REQUEST' } as never)
    return { ids: [41] }
  }
  const { box, calls } = open(t, { answer, drafts: [onServer(7, 'old')] })
  box.write(slot, topic, 'new')
  await pass(2000)
  await pass(2000)
  assert.deepEqual(calls, ['editDraft 7 new', 'createDrafts new'])
})

test('drafts of another user of the same browser are not shown', async (t) => {
  const storage = new MemoryStorage()
  storage.setItem('parley draft 8 1 plans', JSON.stringify({ to: topic, text: 'secret', at: 1 }))
  assert.deepEqual(open(t, { storage }).box.list(), [])
})

const renamed = { id: 2, type: 'update_message', propagate_mode: 'change_all', stream_id: 1, orig_subject: 'plans' }

test('a draft follows its topic when that is renamed, also on the server', async (t) => {
  const { box, calls } = open(t)
  box.write(slot, topic, 'Hello')
  await pass(2000)
  box.apply({ ...renamed, subject: '✔ plans' } as never)
  await pass(0)
  assert.deepEqual([box.read(slot)?.text, box.read('1 ✔ plans')?.text], [undefined, 'Hello'])
  assert.deepEqual(calls, ['createDrafts Hello', 'editDraft 41 Hello'])
})

test('a draft that follows its topic keeps the draft that is already there', async (t) => {
  const { box } = open(t)
  box.write('1 other', { stream_id: 1, topic: 'other' }, 'First')
  box.write(slot, topic, 'Second')
  box.apply({ ...renamed, subject: 'other' } as never)
  assert.deepEqual(
    box.list().map(({ draft }) => draft.text),
    ['First\n\nSecond'],
  )
})
