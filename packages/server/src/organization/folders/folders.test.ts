import assert from 'node:assert/strict'
import { test } from 'node:test'
import { archiveChannel, getChannel, updateChannel } from '@parley/api/conversations/channels'
import { subscribe } from '@parley/api/conversations/subscriptions'
import { register } from '@parley/api/delivery/queues'
import * as api from '@parley/api/organization/folders'
import { inChannel } from '../../testing/channels.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'

async function newFolder({ adam }: World, name: string, description = ''): Promise<number> {
  return (await adam.does(api.createChannelFolder, { name, description })).channel_folder_id
}

const folders = async ({ gus }: World) => (await gus.does(api.getChannelFolders)).channel_folders
const inPath = (channel_folder_id: number) => ({ path: { channel_folder_id } })

test('a new folder has a rendered description and is listed for everyone', async () => {
  const world = await newWorld()
  const id = await newFolder(world, ' Teams ', 'who **works** here')
  const [folder] = await folders(world)
  const { date_created, ...rest } = folder!
  assert.ok(Math.abs(date_created - Date.now() / 1000) < 60)
  assert.deepEqual(rest, {
    id,
    name: 'Teams',
    description: 'who **works** here',
    rendered_description: '<p>who <strong>works</strong> here</p>',
    order: 0,
    creator_id: world.adam.id,
    is_archived: false,
  })
})

test('new folders come last, and the register response lists them in order', async () => {
  const world = await newWorld()
  const first = await newFolder(world, 'a')
  const second = await newFolder(world, 'b')
  await world.adam.does(api.reorderChannelFolders, { order: [second, first] })
  const third = await newFolder(world, 'c')
  const { channel_folders, ...others } = await world.gus.does(register, { fetch_event_types: ['channel_folders'] })
  assert.deepEqual(
    channel_folders!.map(({ id, order }) => [id, order]),
    [
      [second, 0],
      [first, 1],
      [third, 2],
    ],
  )
  assert.equal('streams' in others, false)
})

test('a folder needs a printable name of at most 60 characters and a description of at most 1024', async () => {
  const { adam, ...world } = await newWorld()
  for (const name of ['', '  ', 'x'.repeat(61), 'a\u0007'])
    assert.equal((await adam.isRefused(api.createChannelFolder, { name })).code, 'BAD_REQUEST')
  await adam.isRefused(api.createChannelFolder, { name: 'long', description: 'x'.repeat(1025) })
  await adam.does(api.createChannelFolder, { name: 'x'.repeat(60), description: 'x'.repeat(1024) })
  assert.equal((await folders({ adam, ...world })).length, 1)
})

test('two active folders cannot have the same name, regardless of case', async () => {
  const world = await newWorld()
  const teams = await newFolder(world, 'Teams')
  const other = await newFolder(world, 'Other')
  await world.adam.isRefused(api.createChannelFolder, { name: 'teams' })
  await world.adam.isRefused(api.updateChannelFolder, { ...inPath(other), name: 'TEAMS' })
  await world.adam.does(api.updateChannelFolder, { ...inPath(teams), name: 'TEAMS' })
})

test('an archived folder releases its name, and cannot be unarchived while another has it', async () => {
  const world = await newWorld()
  const teams = await newFolder(world, 'Teams')
  await world.adam.does(api.updateChannelFolder, { ...inPath(teams), is_archived: true })
  assert.deepEqual(await folders(world), [])
  await newFolder(world, 'teams')
  await world.adam.isRefused(api.updateChannelFolder, { ...inPath(teams), is_archived: false })
  await world.adam.does(api.updateChannelFolder, { ...inPath(teams), name: 'Old teams', is_archived: false })
})

test('a channel can be created in a folder, and its administrators can move and remove it', async () => {
  const world = await newWorld()
  const { ann, ben, adam } = world
  const [teams, other] = [await newFolder(world, 'Teams'), await newFolder(world, 'Other')]
  const stream_id = await inChannel('verona', [ann, ben], { folder_id: teams })
  const path = { stream_id }
  const folderOf = async () => (await ben.does(getChannel, { path })).stream.folder_id
  assert.equal(await folderOf(), teams)
  await ben.isRefused(updateChannel, { path, folder_id: other })
  await ben.registers()
  await ann.does(updateChannel, { path, folder_id: other })
  await adam.does(updateChannel, { path, folder_id: null })
  assert.equal(await folderOf(), null)
  const updates = (await ben.receives('stream')).map((event) => 'property' in event && [event.property, event.value])
  assert.deepEqual(updates, [
    ['folder_id', other],
    ['folder_id', null],
  ])
})

test('channels can be put only into active folders of the same organization', async () => {
  const world = await newWorld()
  const stream_id = await inChannel('verona', [world.ann])
  const archived = await newFolder(world, 'Old')
  await world.adam.does(api.updateChannelFolder, { ...inPath(archived), is_archived: true })
  for (const folder_id of [archived, await newFolder(await newWorld(), 'Theirs'), 999_999_999]) {
    await world.ann.isRefused(updateChannel, { path: { stream_id }, folder_id, description: 'changed' })
    await world.ann.isRefused(subscribe, { subscriptions: [{ name: 'new' }], folder_id })
  }
  const { stream } = await world.ann.does(getChannel, { path: { stream_id } })
  assert.deepEqual([stream.folder_id, stream.description], [null, ''])
})

test('a folder that contains a channel, even an archived one, cannot be archived', async () => {
  const world = await newWorld()
  const id = await newFolder(world, 'Teams')
  const path = { stream_id: await inChannel('verona', [world.ann], { folder_id: id }) }
  await world.adam.isRefused(api.updateChannelFolder, { ...inPath(id), is_archived: true })
  await world.adam.does(archiveChannel, { path })
  await world.adam.isRefused(api.updateChannelFolder, { ...inPath(id), is_archived: true })
  assert.equal((await folders(world)).length, 1)
})

test('an order must contain every folder once', async () => {
  const world = await newWorld()
  const [a, b] = [await newFolder(world, 'a'), await newFolder(world, 'b')]
  for (const order of [[a], [a, a], [a, b, b], [a, b, 999_999_999], []])
    await world.adam.isRefused(api.reorderChannelFolders, { order })
  assert.deepEqual(
    (await folders(world)).map(({ id }) => id),
    [a, b],
  )
})

test('everyone receives folder events, which contain only what changed', async () => {
  const world = await newWorld()
  await world.gus.registers()
  const id = await newFolder(world, 'Teams')
  await world.adam.does(api.updateChannelFolder, { ...inPath(id), name: 'Teams', description: 'new' })
  await world.adam.does(api.updateChannelFolder, { ...inPath(id), name: 'Teams' })
  await world.adam.does(api.reorderChannelFolders, { order: [id] })
  const [added, updated, reordered, ...more] = (await world.gus.receives('channel_folder')).map(
    ({ id: _, ...one }) => one,
  )
  assert.deepEqual(added, {
    type: 'channel_folder',
    op: 'add',
    channel_folder: (await folders(world)).map((one) => ({ ...one, description: '', rendered_description: '' }))[0],
  })
  assert.deepEqual(updated, {
    type: 'channel_folder',
    op: 'update',
    channel_folder_id: id,
    data: { description: 'new', rendered_description: '<p>new</p>' },
  })
  assert.deepEqual(reordered, { type: 'channel_folder', op: 'reorder', order: [id] })
  assert.deepEqual(more, [])
})

test('events are complete: folders are created, updated, ordered, filled and archived', async () => {
  const world = await newWorld()
  const { adam, ann, gus } = world
  const kept = await newFolder(world, 'kept')
  await verifyEvents([adam, ann, gus], async () => {
    const id = await newFolder(world, 'new', 'hi')
    await adam.does(api.reorderChannelFolders, { order: [id, kept] })
    await adam.does(api.updateChannelFolder, { ...inPath(kept), name: 'Kept', description: 'long' })
    const stream_id = await inChannel('verona', [ann, gus], { folder_id: id })
    await ann.does(updateChannel, { path: { stream_id }, folder_id: kept })
    await adam.does(api.updateChannelFolder, { ...inPath(id), is_archived: true })
  })
})

test('of concurrently archiving a folder and putting a channel into it, one fails', async () => {
  const world = await newWorld()
  const { adam, ann } = world
  for (let n = 0; n < 5; n++) {
    const folder_id = await newFolder(world, `folder ${n}`)
    const path = { stream_id: await inChannel(`channel ${n}`, [ann]) }
    const answers = await Promise.all([
      ann.request(updateChannel, { path, folder_id }),
      adam.request(api.updateChannelFolder, { ...inPath(folder_id), is_archived: true }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  }
})
