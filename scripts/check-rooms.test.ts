import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCrowdedFolders, findMutualRooms, roomOf } from './check-rooms.ts'

test('a room is a folder of a wing; wings without rooms are one', () => {
  assert.equal(roomOf('conversations/messages/send/send.ts'), 'conversations/messages')
  assert.equal(roomOf('platform/db/pool.ts'), 'platform')
  assert.equal(roomOf('http/serving/serve.ts'), 'http/serving')
  assert.equal(roomOf('http/app.ts'), 'http')
  assert.equal(roomOf('context.ts'), undefined)
})

test('rooms that import each other are found once', () => {
  const there: [string, string] = ['people/users/a.ts', 'people/status/b.ts']
  const back: [string, string] = ['people/status/c.ts', 'people/users/d.ts']
  assert.deepEqual(findMutualRooms([there]), [])
  assert.deepEqual(findMutualRooms([there, back]), ['people/status people/users'])
})

test('a folder has at most 30 files, except for migrations and fixtures', () => {
  const filesIn = (folder: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${folder}/${index}.ts`)
  assert.deepEqual(findCrowdedFolders(filesIn('packages/a', 30)), [])
  assert.equal(findCrowdedFolders(filesIn('packages/a', 31)).length, 1)
  assert.deepEqual(findCrowdedFolders(filesIn('packages/server/migrations', 31)), [])
  assert.deepEqual(findCrowdedFolders(filesIn('packages/integrations/github/fixtures', 31)), [])
})
