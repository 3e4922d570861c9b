import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getFileUrl } from '@parley/api/conversations/uploads'
import * as accounts from '@parley/api/identity/accounts'
import { fetches, type TestFile, upload } from '../../testing/files.ts'
import { newWorld } from '../../testing/world.ts'

const digits: TestFile = { content: '0123456789', filename: 'digits.txt', type: 'text/plain' }

test('a file can be downloaded in ranges', async () => {
  const world = await newWorld()
  const url = await upload(world, world.ann, digits)
  const whole = await fetches(world, world.ann, url)
  assert.equal(whole.headers['accept-ranges'], 'bytes')
  for (const [range, body, said] of [
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-1', '9', 'bytes 9-9/10'],
  ] as const) {
    const part = await fetches(world, world.ann, url, { range })
    assert.deepEqual([part.statusCode, part.body, part.headers['content-range']], [206, body, said])
    assert.equal(part.headers['content-length'], String(body.length))
  }
})

test('a range outside the file is refused', async () => {
  const world = await newWorld()
  const url = await upload(world, world.ann, digits)
  const refused = await fetches(world, world.ann, url, { range: 'bytes=10-' })
  assert.deepEqual([refused.statusCode, refused.headers['content-range']], [416, 'bytes */10'])
  assert.equal(refused.json().code, 'BAD_REQUEST')
})

test('a cached file is answered with 304 as long as the user has access', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const url = await upload(world, ann, digits)
  const etag = String((await fetches(world, ann, url)).headers.etag)
  const again = await fetches(world, ann, url, { 'if-none-match': etag, range: 'bytes=0-1' })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
  assert.equal((await fetches(world, ann, url, { 'if-none-match': '"other"' })).statusCode, 200)
  assert.equal((await fetches(world, ben, url, { 'if-none-match': etag })).statusCode, 404)
})

test('a range is sent only if the version of the client is current', async () => {
  const world = await newWorld()
  const url = await upload(world, world.ann, digits)
  const etag = String((await fetches(world, world.ann, url)).headers.etag)
  const part = (ifRange: string) => fetches(world, world.ann, url, { range: 'bytes=0-1', 'if-range': ifRange })
  assert.deepEqual([(await part(etag)).statusCode, (await part('"other"')).statusCode], [206, 200])
})

test('HEAD returns the headers of a file without its content', async () => {
  const world = await newWorld()
  const url = await upload(world, world.ann, digits)
  const { statusCode, body, headers } = await world.app.inject({ method: 'HEAD', url, headers: world.ann.headers })
  assert.deepEqual([statusCode, body, headers['content-length']], [200, '', '10'])
})

test('the API key is accepted in the URL of a file, and in no other URL', async () => {
  const world = await newWorld()
  const { ann, ben, olga, app, host } = world
  const url = await upload(world, ann, digits)
  const status = async (target: string) => (await app.inject({ url: target, headers: { host } })).statusCode
  const key = `api_key=${ann.credentials.key}`
  assert.equal(await status(`${url}?${key}`), 200)
  assert.equal(await status(`${url}?api_key=${ben.credentials.key}`), 404)
  assert.equal(await status(`${url}?api_key=${'x'.repeat(32)}`), 401)
  assert.equal(await status(`/api/v1/attachments?${key}`), 401)
  await olga.does(accounts.deactivateUser, { path: { user_id: ann.id } })
  assert.equal(await status(`${url}?${key}`), 401)
})

test('file names may have any script and length, and URLs with invalid text are not found', async () => {
  const world = await newWorld()
  const { ann } = world
  const url = await upload(world, ann, { ...digits, filename: `${'写'.repeat(250)}.txt` })
  const found = await fetches(world, ann, encodeURI(url))
  assert.equal(found.body, digits.content)
  assert.ok(String(found.headers['content-disposition']).endsWith(`${encodeURIComponent('写')}.txt`))
  for (const name of ['%00', '%ff', 'x'.repeat(600)]) {
    const { statusCode } = await fetches(world, ann, url.replace(/[^/]+$/, name))
    assert.ok(statusCode === 404 || statusCode === 400, `${name}: ${statusCode}`)
  }
})

test('files with long names have temporary URLs', async () => {
  const world = await newWorld()
  const { ann, app, host } = world
  const path = await upload(world, ann, { ...digits, filename: `${'𠀀'.repeat(250)}.txt` })
  const [, , realm_id_str, ...rest] = path.split('/')
  const { url } = await ann.does(getFileUrl, { path: { realm_id_str: realm_id_str!, filename: rest.join('/') } })
  assert.equal((await app.inject({ url, headers: { host } })).body, digits.content)
})
