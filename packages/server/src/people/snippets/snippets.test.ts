import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/people/snippets'
import type { Actor } from '../../testing/actor.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld } from '../../testing/world.ts'

const saves = async (actor: Actor, title = 'Greeting', content = 'Good **day**') =>
  (await actor.does(api.createSavedSnippet, { title, content })).saved_snippet_id

async function snippetsOf(actor: Actor) {
  return (await actor.does(api.getSavedSnippets)).saved_snippets
}

test('a saved snippet is listed, to its owner alone', async () => {
  const { ann, ben } = await newWorld()
  const id = await saves(ann, '  Greeting ', ' Good **day**\n')
  const [snippet] = await snippetsOf(ann)
  assert.deepEqual([snippet?.id, snippet?.title, snippet?.content], [id, 'Greeting', 'Good **day**'])
  assert.ok(Math.abs(snippet!.date_created - Date.now() / 1000) < 60)
  assert.deepEqual(await snippetsOf(ben), [])
})

test('title and content are required, not blank and not too long', async () => {
  const { ann } = await newWorld()
  assert.equal((await ann.isRefused(api.createSavedSnippet, { content: 'x' })).code, 'REQUEST_VARIABLE_MISSING')
  assert.equal((await ann.isRefused(api.createSavedSnippet, { title: 'x' })).code, 'REQUEST_VARIABLE_MISSING')
  for (const text of [
    { title: '', content: 'x' },
    { title: ' \n', content: 'x' },
    { title: 'x', content: '' },
    { title: 'x', content: '  ' },
    { title: 'x'.repeat(61), content: 'x' },
    { title: 'x', content: 'x'.repeat(10_001) },
  ])
    assert.equal((await ann.isRefused(api.createSavedSnippet, text)).code, 'BAD_REQUEST')
  await saves(ann, '😀'.repeat(60), '😀'.repeat(10_000))
})

test('title and content can be changed, together or one of them', async () => {
  const { ann } = await newWorld()
  const path = { saved_snippet_id: await saves(ann) }
  await ann.does(api.editSavedSnippet, { path, title: 'Farewell' })
  await ann.does(api.editSavedSnippet, { path, content: 'So long' })
  const [snippet] = await snippetsOf(ann)
  assert.deepEqual([snippet?.title, snippet?.content], ['Farewell', 'So long'])
  for (const text of [{ title: ' ' }, { content: '' }])
    assert.equal((await ann.isRefused(api.editSavedSnippet, { path, ...text })).code, 'BAD_REQUEST')
})

test('an edit without parameters succeeds and emits nothing', async () => {
  const { ann } = await newWorld()
  const path = { saved_snippet_id: await saves(ann) }
  await ann.registers()
  await ann.does(api.editSavedSnippet, { path })
  assert.deepEqual(await ann.receives('saved_snippets'), [])
})

test("another user's snippet fails like one that does not exist", async () => {
  const { ann, adam } = await newWorld()
  const id = await saves(ann)
  for (const operation of [api.editSavedSnippet, api.deleteSavedSnippet]) {
    const missing = await adam.isRefused(operation, { path: { saved_snippet_id: 999_999 }, title: 'mine' })
    assert.deepEqual(await adam.isRefused(operation, { path: { saved_snippet_id: id }, title: 'mine' }), missing)
    assert.equal(missing.status, 404)
  }
  assert.equal((await snippetsOf(ann))[0]?.title, 'Greeting')
})

test('a deleted snippet is no longer listed', async () => {
  const { ann } = await newWorld()
  const path = { saved_snippet_id: await saves(ann) }
  await ann.does(api.deleteSavedSnippet, { path })
  assert.deepEqual(await snippetsOf(ann), [])
  await ann.isRefused(api.deleteSavedSnippet, { path })
})

test('only the owner receives snippet events, and they keep the state up to date', async () => {
  const { ann, ben, gus } = await newWorld()
  const kept = await saves(ann, 'kept')
  await ben.registers()
  await verifyEvents([ann, gus], async () => {
    const gone = await saves(ann, 'gone')
    await ann.does(api.editSavedSnippet, { path: { saved_snippet_id: kept }, title: 'changed' })
    await ann.does(api.deleteSavedSnippet, { path: { saved_snippet_id: gone } })
    await saves(gus)
  })
  assert.deepEqual(await ben.receives('saved_snippets'), [])
})
