import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/conversations/drafts'
import { updateSettings } from '@parley/api/people/own-settings'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { restrictGuests } from '../../../testing/configure-realm.ts'
import { verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld } from '../../../testing/world.ts'

const nowhere: api.NewDraft = { type: '', to: [], topic: '', content: 'to be', timestamp: 1_600_000_000 }

const keeps = async (actor: Actor, ...drafts: api.NewDraft[]) => (await actor.does(api.createDrafts, { drafts })).ids
const draftsOf = async (actor: Actor) => (await actor.does(api.getDrafts)).drafts

test('drafts are kept for a channel, for people and for nowhere yet, the oldest first', async () => {
  const { ann, ben } = await newWorld()
  const channel = await inChannel('verona', [ann])
  const [first, second, third] = await keeps(
    ann,
    { type: 'stream', to: [channel], topic: 'castle', content: 'a', timestamp: 1_700_000_000 },
    { type: 'private', to: [ben.id, ann.id], topic: 'ignored', content: 'b', timestamp: 1_650_000_000 },
    { ...nowhere, to: [ben.id], topic: 'ignored' },
  )
  assert.deepEqual(await draftsOf(ann), [
    { ...nowhere, id: third },
    { id: second, type: 'private', to: [ben.id, ann.id], topic: '', content: 'b', timestamp: 1_650_000_000 },
    { id: first, type: 'stream', to: [channel], topic: 'castle', content: 'a', timestamp: 1_700_000_000 },
  ])
  assert.deepEqual(await draftsOf(ben), [])
})

test('a draft without a time is of now, and is cut like a message', async () => {
  const { ann } = await newWorld()
  const channel = await inChannel('verona', [ann])
  const { timestamp: _, ...timeless } = nowhere
  await keeps(ann, { ...timeless, type: 'stream', to: [channel], topic: 'x'.repeat(61), content: '\n\nhi  \n' })
  const [draft] = await draftsOf(ann)
  assert.ok(Math.abs(draft!.timestamp - Date.now() / 1000) < 60)
  assert.deepEqual([draft!.topic, draft!.content], [`${'x'.repeat(57)}...`, 'hi'])
})

test('a draft may name its time in fractions of a second; the API returns whole seconds', async () => {
  const { ann } = await newWorld()
  await keeps(ann, { ...nowhere, timestamp: 1_595_479_019.438_7 }, { ...nowhere, timestamp: 1_595_479_019.2 })
  const drafts = await draftsOf(ann)
  assert.deepEqual(
    drafts.map(({ timestamp }) => timestamp),
    [1_595_479_019, 1_595_479_019],
  )
  assert.ok(drafts[0]!.id > drafts[1]!.id, 'the one of the earlier fraction goes first')
})

test('what could not be sent anywhere is refused, and then nothing is kept', async () => {
  const { ann, ben } = await newWorld()
  const hidden = await inChannel('den', [ben], { invite_only: true })
  for (const wrong of [
    { type: 'stream', to: [] },
    { type: 'stream', to: [hidden] },
    { type: 'stream', to: [999_999] },
    { type: 'stream', to: [1, 2] },
    { type: 'private', to: [999_999] },
    { type: 'other' },
    { content: ' ' },
    { timestamp: -1 },
    { more: 'than is known' },
  ]) {
    const refused = await ann.isRefused(api.createDrafts, { drafts: [nowhere, { ...nowhere, ...wrong }] })
    assert.equal(refused.code, 'BAD_REQUEST', JSON.stringify(wrong))
  }
  assert.deepEqual(await draftsOf(ann), [])
})

test('a draft is replaced as a whole', async () => {
  const { ann, ben } = await newWorld()
  const [draft_id] = await keeps(ann, nowhere)
  await ann.does(api.editDraft, { path: { draft_id: draft_id! }, draft: { ...nowhere, type: 'private', to: [ben.id] } })
  assert.deepEqual((await draftsOf(ann))[0]?.to, [ben.id])
})

test("another user's draft fails like one that does not exist", async () => {
  const { ann, ben } = await newWorld()
  const [draft_id] = await keeps(ann, nowhere)
  for (const operation of [api.editDraft, api.deleteDraft]) {
    const missing = await ben.isRefused(operation, { path: { draft_id: 999_999 }, draft: nowhere })
    assert.equal(missing.status, 404)
    assert.deepEqual(await ben.isRefused(operation, { path: { draft_id }, draft: nowhere }), missing)
  }
})

test('who does not synchronize drafts has none', async () => {
  const { ann } = await newWorld()
  const [draft_id] = await keeps(ann, nowhere)
  await ann.does(updateSettings, { enable_drafts_synchronization: false })
  await ann.isRefused(api.getDrafts)
  await ann.isRefused(api.createDrafts, { drafts: [nowhere] })
  await ann.isRefused(api.editDraft, { path: { draft_id }, draft: nowhere })
  await ann.isRefused(api.deleteDraft, { path: { draft_id } })
  assert.deepEqual((await ann.registers()).drafts, [])
})

test('turning off draft synchronization deletes the drafts of the user on the server, and only theirs', async () => {
  const { ann, ben } = await newWorld()
  for (const one of [ann, ben]) await keeps(one, nowhere)
  for (const enable_drafts_synchronization of [false, true])
    await ann.does(updateSettings, { enable_drafts_synchronization })
  assert.deepEqual(await draftsOf(ann), [])
  assert.equal((await draftsOf(ben)).length, 1)
})

test('only the owner receives draft events, and they keep the state up to date', async () => {
  const { ann, ben } = await newWorld()
  const [kept] = await keeps(ann, nowhere)
  await ben.registers()
  await verifyEvents([ann], async () => {
    const [gone] = await keeps(ann, { ...nowhere, timestamp: 1_500_000_000 }, { ...nowhere, timestamp: 1_700_000_000 })
    await ann.does(api.editDraft, { path: { draft_id: kept! }, draft: { ...nowhere, timestamp: 1_800_000_000 } })
    await ann.does(api.deleteDraft, { path: { draft_id: gone! } })
  })
  assert.deepEqual(await ben.receives('drafts'), [])
})

test('a limited guest cannot find out by drafts which users exist', async () => {
  const world = await newWorld()
  const { gus, ann, ben } = world
  await restrictGuests(world)
  await ann.sends({ to: [gus] })
  const draftTo = (id: number) => ({ drafts: [{ type: 'private', to: [id], topic: '', content: 'x' }] })
  const refusal = async (id: number) => (await gus.isRefused(api.createDrafts, draftTo(id))).msg.replace(String(id), '')
  assert.equal(await refusal(ben.id), await refusal(999_999))
  const { ids } = await gus.does(api.createDrafts, draftTo(ann.id) as never)
  const draft = draftTo(ben.id).drafts[0]
  await gus.isRefused(api.editDraft, { path: { draft_id: ids[0] }, draft })
})
