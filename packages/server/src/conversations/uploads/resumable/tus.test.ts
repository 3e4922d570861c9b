import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deactivateUser, revokeUserKeys } from '@parley/api/identity/accounts'
import { createToken } from '@parley/api/identity/tokens'
import type { Operation } from '@parley/api/operation'
import { sql } from 'kysely'
import { column, exists } from '../../../platform/db/query.ts'
import type { Actor } from '../../../testing/actor.ts'
import { attachmentsOf, fetches, storedFiles } from '../../../testing/files.ts'
import { sendSlowly } from '../../../testing/load/slow-body.ts'
import { newWorld, type World } from '../../../testing/world.ts'
import { removeExpiredUploads } from './remove-expired.ts'
import { maxUnfinished } from './resumable-limits.ts'

const version = { 'tus-resumable': '1.0.0' }

type Method = 'POST' | 'PATCH' | 'HEAD' | 'DELETE' | 'OPTIONS'

function tus(world: World, by: Actor | undefined, method: Method, url: string, more: object = {}, payload?: string) {
  const headers = { ...(by?.headers ?? { host: world.host }), ...version, ...more }
  return world.app.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
}

function metadata(filename: string, filetype = 'text/plain'): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  return `filename ${base64(filename)},filetype ${base64(filetype)}`
}

function announce(world: World, by: Actor | undefined, length: number, filename = 'notes.txt') {
  const headers = { 'upload-length': String(length), 'upload-metadata': metadata(filename) }
  return tus(world, by, 'POST', '/api/v1/tus/', headers)
}

async function begin(world: World, by: Actor, length: number): Promise<string> {
  return String((await announce(world, by, length)).headers.location)
}

function append(world: World, by: Actor | undefined, url: string, offset: number, bytes: string) {
  const headers = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }
  return tus(world, by, 'PATCH', url, headers, bytes)
}

test('a file that arrives in parts is an attachment; the last response has its URL', async () => {
  const world = await newWorld()
  const { ann } = world
  await ann.registers({ event_types: ['attachment'] })
  const created = await announce(world, ann, 10, 'two parts.txt')
  assert.equal(created.statusCode, 201)
  const url = String(created.headers.location)
  const first = await append(world, ann, url, 0, 'hello')
  assert.deepEqual([first.statusCode, first.headers['upload-offset']], [204, '5'])
  assert.deepEqual(await attachmentsOf(ann), [])

  const last = await append(world, ann, url, 5, 'world')
  assert.deepEqual([last.statusCode, last.headers['upload-offset']], [200, '10'])
  const { url: fileUrl, filename } = last.json() as { url: string; filename: string }
  assert.equal(filename, 'two parts.txt')
  const file = await fetches(world, ann, fileUrl)
  assert.deepEqual([file.body, file.headers['content-type']], ['helloworld', 'text/plain; charset=utf-8'])
  assert.equal((await ann.reads()).length, 1)
  assert.equal((await fetches(world, world.ben, fileUrl)).statusCode, 404)
})

test('HEAD tells the offset and length; a client that missed the last response can ask again', async () => {
  const world = await newWorld()
  const { ann } = world
  const url = await begin(world, ann, 3)
  await append(world, ann, url, 0, 'a')
  const { headers, statusCode } = await tus(world, ann, 'HEAD', url)
  assert.equal(statusCode, 200)
  assert.deepEqual([headers['upload-offset'], headers['upload-length']], ['1', '3'])
  assert.equal(headers['cache-control'], 'no-store')
  assert.ok(new Date(String(headers['upload-expires'])) > new Date())
  const finished = (await append(world, ann, url, 1, 'bc')).json()
  assert.equal((await tus(world, ann, 'HEAD', url)).headers['upload-offset'], '3')
  assert.deepEqual((await append(world, ann, url, 3, '')).json(), finished)
  assert.equal((await attachmentsOf(ann)).length, 1)
})

test('a wrong offset, too many bytes, another version or content type are refused and change nothing', async () => {
  const world = await newWorld()
  const { ann } = world
  const url = await begin(world, ann, 4)
  assert.equal((await append(world, ann, url, 2, 'cd')).statusCode, 409)
  assert.equal((await append(world, ann, url, 0, 'abcde')).statusCode, 413)
  const old = await tus(world, ann, 'PATCH', url, { 'tus-resumable': '0.2.2', 'upload-offset': '0' }, 'a')
  assert.deepEqual([old.statusCode, old.headers['tus-version']], [412, '1.0.0'])
  const form = { 'upload-offset': '0', 'content-type': 'application/json' }
  assert.equal((await tus(world, ann, 'PATCH', url, form, '{}')).statusCode, 415)
  assert.equal((await tus(world, ann, 'POST', '/api/v1/tus', { 'upload-defer-length': '1' })).statusCode, 411)
  assert.equal((await announce(world, ann, 25 * 1024 * 1024 + 1)).statusCode, 413)
  assert.equal((await announce(world, ann, 1, 'a\0b')).statusCode, 422)
  assert.equal((await tus(world, ann, 'HEAD', url)).headers['upload-offset'], '0')
  assert.deepEqual(await storedFiles(world), [])
})

test('of two requests with the same offset one gets a conflict, and its bytes are not kept', async () => {
  const world = await newWorld()
  const url = await begin(world, world.ann, 9)
  const both = await Promise.all(['abc', 'xyz'].map((bytes) => append(world, world.ann, url, 0, bytes)))
  assert.deepEqual(both.map(({ statusCode }) => statusCode).sort(), [204, 409])
  assert.equal((await storedFiles(world)).length, 1)
})

test('only the owner can continue, look at or cancel an upload, with the right scope', async () => {
  const world = await newWorld()
  const { ann, ben, olga, gus } = world
  const url = await begin(world, ann, 5)
  for (const other of [ben, olga]) {
    assert.equal((await tus(world, other, 'HEAD', url)).statusCode, 404)
    assert.equal((await append(world, other, url, 0, 'a')).statusCode, 404)
    assert.equal((await tus(world, other, 'DELETE', url)).statusCode, 404)
  }
  assert.equal((await announce(world, undefined, 5)).statusCode, 401)
  assert.equal((await append(world, undefined, url, 0, 'a')).statusCode, 401)
  assert.equal((await announce(world, gus, 5)).statusCode, 201)
  const hook = await world.add('hook', 400, { bot_type: 2, bot_owner_id: ann.id })
  assert.notEqual((await announce(world, hook, 5)).statusCode, 201)
  const { token } = await ann.does(createToken, { name: 'reader', scopes: ['read'] })
  const reader = { authorization: `Bearer ${token}` }
  assert.equal(
    (await tus(world, undefined, 'POST', '/api/v1/tus', { ...reader, 'upload-length': '5' })).statusCode,
    403,
  )
  const elsewhere = await newWorld()
  assert.equal((await tus(elsewhere, elsewhere.ann, 'HEAD', url)).statusCode, 404)
})

test('an owner who is deactivated, or whose key is revoked, before the end of the bytes uploads nothing', async () => {
  const world = await newWorld()
  const { adam, ann, app, ben } = world
  for (const [owner, loss] of [
    [ann, deactivateUser],
    [ben, revokeUserKeys],
  ] as const) {
    const path = await begin(world, owner, 5)
    const more = { ...version, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
    const finish = await sendSlowly(app, {
      method: 'PATCH',
      path,
      headers: { ...owner.headers, ...more },
      body: 'hello',
    })
    await adam.does(loss as Operation, { path: { user_id: owner.id } })
    assert.equal((await finish()).code, 'UNAUTHORIZED')
  }
  assert.deepEqual(await storedFiles(world), [])
})

test('a cancelled upload is gone with its parts', async () => {
  const world = await newWorld()
  const { ann, ctx, realmId } = world
  const url = await begin(world, ann, 5)
  await append(world, ann, url, 0, 'abc')
  assert.equal((await tus(world, ann, 'DELETE', url)).statusCode, 204)
  assert.equal((await tus(world, ann, 'HEAD', url)).statusCode, 404)
  assert.equal((await append(world, ann, url, 3, 'de')).statusCode, 404)
  const deleted = await column<string>(ctx.db)`
    select payload ->> 'path' as path from jobs.jobs where task = 'delete_file'`
  assert.ok(deleted.some((path) => path.startsWith(`resumable/${realmId}/`)))
})

test('an expired upload is not found, and a job deletes it', async () => {
  const world = await newWorld()
  const { ann, ctx, realmId } = world
  const url = await begin(world, ann, 5)
  await append(world, ann, url, 0, 'abc')
  const own = sql`realm_id = ${realmId}`
  await sql`update resumable_uploads set expires_at = now() - interval '1 second' where ${own}`.execute(ctx.db)
  assert.equal((await tus(world, ann, 'HEAD', url)).statusCode, 404)
  await removeExpiredUploads(ctx)
  assert.equal(await exists(ctx.db)`select 1 from resumable_uploads where ${own}`, false)
})

test('unfinished uploads count against the quota, and a user can have only some of them', async (t) => {
  const world = await newWorld()
  const { ann, ben, ctx } = world
  ctx.config.uploadQuota = 1
  t.after(() => {
    ctx.config.uploadQuota = null
  })
  assert.equal((await announce(world, ann, 700_000)).statusCode, 201)
  const refused = await announce(world, ben, 700_000)
  assert.deepEqual([refused.statusCode, refused.json().code], [413, 'REALM_UPLOAD_QUOTA'])
  assert.equal(refused.json().message, refused.json().msg)
  for (let count = 1; count < maxUnfinished; count++) await announce(world, ann, 1)
  assert.equal((await announce(world, ann, 1)).statusCode, 429)
})

test('an empty file is finished at once, and OPTIONS describes the protocol without credentials', async () => {
  const world = await newWorld()
  const created = await announce(world, world.ann, 0)
  assert.deepEqual([created.statusCode, created.json().filename], [201, 'notes.txt'])
  assert.equal((await attachmentsOf(world.ann)).length, 1)
  const { headers } = await tus(world, undefined, 'OPTIONS', '/api/v1/tus/')
  assert.equal(headers['tus-extension'], 'creation,termination,expiration')
})

test('proxies that know no PATCH can use POST with X-HTTP-Method-Override', async () => {
  const world = await newWorld()
  const url = await begin(world, world.ann, 2)
  const headers = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  const override = { ...headers, 'x-http-method-override': 'PATCH' }
  assert.equal((await tus(world, world.ann, 'POST', url, override, 'ab')).statusCode, 200)
})
