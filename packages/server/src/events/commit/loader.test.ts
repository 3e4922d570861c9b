import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { editMessage } from '@parley/api/conversations/editing'
import { updateMessageFlags } from '@parley/api/conversations/flags'
import { getMessages } from '@parley/api/conversations/messages'
import { addReaction, removeReaction } from '@parley/api/conversations/reactions'
import { sql } from 'kysely'
import { actIn, transactIn } from '../../context.ts'
import { allDone } from '../../platform/db/pipelined.ts'
import { column } from '../../platform/db/query.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld } from '../../testing/world.ts'
import { loader } from './loader.ts'

const world = await newWorld()
const { ctx, realmId, olga, adam, ann, ben, mona } = world
await inChannel('verona', [ann, ben, mona, adam])

/** Lets acts arrive while a transaction of their realm is open, so that they share the next one. */
async function together<T>(acts: (() => Promise<T>)[]): Promise<T[]> {
  const gate = Promise.withResolvers<void>()
  const open = actIn(ctx, { id: olga.id, realm_id: realmId }, () => gate.promise)
  const done = acts.map((act) => act())
  await setTimeout(100)
  gate.resolve()
  await open
  return Promise.all(done)
}

async function messageOf(actor: Actor, id: number) {
  const { messages } = await actor.does(getMessages, { message_ids: [id], apply_markdown: false })
  return messages[0]!
}

const tada = (message_id: number) => ({ path: { message_id }, emoji_name: 'tada' })
const read = (messages: number[]) => ({ messages, op: 'add', flag: 'read' }) as const

/** A statement that doubles numbers, and how often it was executed. */
function counted() {
  const runs: number[] = []
  const double = loader({ n: 'bigint' }, ({ realmId }, k) => {
    runs.push(realmId)
    return sql<{ n: number; doubled: number }>`select k.n, 2 * k.n as doubled from ${k}`
  })
  return { runs, double }
}

test('acts that execute a statement in the same turn do so together, and each gets its own rows', async () => {
  const { runs, double } = counted()
  const act =
    ({ id }: Actor) =>
    () =>
      actIn(ctx, { id, realm_id: realmId }, (tx) => double(tx, { n: id }))
  assert.deepEqual(
    await together([ann, ben, mona].map(act)),
    [ann, ben, mona].map(({ id }) => [{ n: id, doubled: 2 * id }]),
  )
  assert.equal(runs.length, 1)
})

test('rows that name the place of an act, or no column of its keys, belong to that act, or to all', async () => {
  const placed = loader(
    { n: 'bigint' },
    (_, k) => sql<{ own: number }>`select k.place, k.n as own from ${k} order by k.n`,
  )
  const common = loader({ n: 'bigint' }, (_, k) => sql<{ total: number }>`select count(*) as total from ${k}`)
  const act =
    ({ id }: Actor, keys: number[]) =>
    () =>
      actIn(ctx, { id, realm_id: realmId }, async (tx) => {
        const rows = keys.map((n) => ({ n }))
        const [own, [all]] = await allDone([placed(tx, rows), common(tx, rows)] as const)
        return [own.map((row) => row.own), all!.total]
      })
  const found = await together<unknown>([act(ann, [2, 1]), act(ben, [1])])
  assert.deepEqual(found, [
    [[1, 2], 3],
    [[1], 3],
  ])
})

test('acts of different transactions do not share a statement', async () => {
  const { runs, double } = counted()
  await Promise.all([1, 2].map((n) => transactIn(ctx, realmId, (tx) => double(tx, { n }))))
  assert.equal(runs.length, 2)
})

test('a statement is about the realm of its transaction, whatever its connection was used for before', async () => {
  const { realmId: otherId } = await newWorld()
  const { runs, double } = counted()
  for (const id of [realmId, otherId, realmId]) await transactIn(ctx, id, (tx) => double(tx, { n: 1 }))
  assert.deepEqual(runs, [realmId, otherId, realmId])
})

test('reactions with the same emoji to one message are all stored', async () => {
  const id = await ann.sends({ channel: 'verona' })
  await together([ann, ben, mona].map((user) => () => user.does(addReaction, tada(id))))
  const { reactions } = await messageOf(adam, id)
  assert.deepEqual(reactions.map(({ user_id }) => user_id).sort(), [ann.id, ben.id, mona.id].sort())
})

test('of the same reaction from two tabs, one is refused', async () => {
  const id = await ann.sends({ channel: 'verona' })
  const answers = await together([ben, mona, ben].map((user) => () => user.request(addReaction, tada(id))))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 400],
  )
  assert.equal((answers[2]!.body as { code: string }).code, 'REACTION_ALREADY_EXISTS')
})

test('refused reactions, stars and edits do not affect those in the same transaction', async () => {
  const shared = await ann.sends({ channel: 'verona', content: 'first' })
  const hidden = await ann.sends({ to: [adam] })
  await verifyEvents([ann, ben, mona, adam], async () => {
    const answers = await together([
      () => ann.request(editMessage, { path: { message_id: shared }, content: 'second' }),
      () => ben.request(addReaction, tada(hidden)),
      () => mona.request(addReaction, tada(shared)),
      () => adam.request(removeReaction, tada(shared)),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 400, 200, 400],
    )
    const next = await together([
      () => ann.request(updateMessageFlags, { messages: [shared, hidden], op: 'add', flag: 'starred' }),
      () => ben.request(updateMessageFlags, { messages: [shared, hidden], op: 'add', flag: 'starred' }),
      () => mona.request(editMessage, { path: { message_id: shared }, content: 'third' }),
      () => adam.request(updateMessageFlags, { messages: [shared], op: 'add', flag: 'starred' }),
    ])
    assert.deepEqual(
      next.map(({ status }) => status),
      [200, 400, 400, 200],
    )
  })
  const stars = await column<number>(ctx.db)`
    select user_id from message_flags where realm_id = ${realmId} and message_id = ${shared} and flags & 4 <> 0 order by user_id`
  assert.deepEqual(
    stars,
    [ann.id, adam.id].sort((a, b) => a - b),
  )
  assert.equal((await messageOf(ben, shared)).content, 'second')
})

test('an edit and a reaction to the same message are both stored', async () => {
  const id = await ann.sends({ channel: 'verona', content: 'first' })
  await verifyEvents([ann, ben], () =>
    together<unknown>([
      () => ann.does(editMessage, { path: { message_id: id }, content: 'second' }),
      () => ben.does(addReaction, tada(id)),
    ]),
  )
  const { content, reactions } = await messageOf(mona, id)
  assert.deepEqual([content, reactions.length], ['second', 1])
})

test('each of several edits has the flags of its own readers', async () => {
  const first = await ann.sends({ channel: 'verona' })
  const second = await mona.sends({ channel: 'verona', content: `@**${ben.name}**` })
  const third = await adam.sends({ channel: 'verona' })
  await ben.does(updateMessageFlags, read([first]))
  await ben.does(updateMessageFlags, { messages: [third], op: 'add', flag: 'starred' })
  await ben.registers()
  await together([
    () => ann.does(editMessage, { path: { message_id: first }, content: 'edited' }),
    () => mona.does(editMessage, { path: { message_id: second }, content: `@**${ben.name}**, hi` }),
    () => adam.does(editMessage, { path: { message_id: third }, content: 'edited' }),
  ])
  const flags = (await ben.receives('update_message')).map((event) => [event.message_id, event.flags] as const)
  assert.deepEqual(
    new Map(flags),
    new Map([
      [first, ['read']],
      [second, ['mentioned']],
      [third, ['starred']],
    ]),
  )
})

test('marking as read by several users raises the read floor of each', async () => {
  const ids = [
    await ann.sends({ channel: 'verona' }),
    await ann.sends({ channel: 'verona' }),
    await ann.sends({ to: [ben, mona] }),
  ]
  await verifyEvents([ben, mona, adam], async () => {
    await together([
      () => ben.does(updateMessageFlags, read(ids)),
      () => mona.does(updateMessageFlags, read([ids[1]!])),
      () => adam.does(updateMessageFlags, read([ids[0]!])),
    ])
    await together([
      () => ben.does(updateMessageFlags, { ...read([ids[0]!]), op: 'remove' }),
      () => mona.does(updateMessageFlags, { ...read(ids), op: 'remove' }),
      () => adam.does(updateMessageFlags, read(ids)),
    ])
  })
  const unread = async (user: Actor) => {
    const seen = await Promise.all(ids.map((id) => user.does(getMessages, { message_ids: [id] })))
    return seen.map(({ messages }) => messages.length > 0 && !messages[0]!.flags.includes('read'))
  }
  assert.deepEqual(await unread(ben), [true, false, false])
  assert.deepEqual(await unread(mona), [true, true, true])
  assert.deepEqual(await unread(adam), [false, false, false])
})
