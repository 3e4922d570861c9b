import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { uploadFile } from '@parley/api/conversations/uploads'
import { sendTestNotification } from '@parley/api/delivery/push'
import { createSession } from '@parley/api/identity/sessions'
import type { Operation } from '@parley/api/operation'
import { exportRealm } from '@parley/api/operation/export'
import { uploadEmoji } from '@parley/api/organization/emoji'
import { uploadAvatar } from '@parley/api/people/avatars'
import { devFetchApiKey, fetchApiKey, jwtFetchApiKey } from '@parley/api/server'
import sharp from 'sharp'
import { encode } from '../../actor.ts'
import { fetches, multipartFiles, type TestFile } from '../../files.ts'
import { newWorld, type World } from '../../world.ts'
import { assertHarmless, hostileNames, hostileRequests, lookedUp } from '../hostile-names.ts'

let world: World

before(async () => {
  world = await newWorld()
})

/** Sends a form. Returns the status of the response, which must be a regular one. */
async function posts(operation: Operation, params: Record<string, unknown>, what: string): Promise<number> {
  const { app, adam, host } = world
  const headers = { ...(operation.access === 'anyone' ? { host } : adam.headers), 'content-type': formType }
  const response = await app.inject({
    method: 'POST',
    url: `/api/v1${operation.path}`,
    headers,
    payload: encode(params),
  })
  assertHarmless(response, `${operation.name}, ${what}: ${response.body.slice(0, 300)}`)
  return response.statusCode
}

const formType = 'application/x-www-form-urlencoded'

test('nobody can sign in with a hostile name or password', async () => {
  const username = world.ann.credentials.email
  const refused = [
    ...hostileNames.map((name) => [fetchApiKey, { username: name, password: name }]),
    ...hostileNames.slice(0, 4).map((token) => [jwtFetchApiKey, { token }]),
    ...hostileNames.slice(0, 4).map((password) => [fetchApiKey, { username, password }]),
    ...hostileNames.map((name) => [devFetchApiKey, { username: name }]),
    ...lookedUp.map((name) => [createSession, { username: name, password: name }]),
    ...lookedUp.map((name) => [fetchApiKey, { [name]: name }]),
  ] as [Operation, Record<string, string>][]
  for (const [operation, params] of refused)
    assert.notEqual(await posts(operation, params, JSON.stringify(params)), 200, JSON.stringify(params))
})

test('hostile names are not types of exports, and as unknown parameters they are ignored', async () => {
  const operation = exportRealm as Operation
  for (const name of lookedUp)
    for (const { position, params } of hostileRequests(operation, { path: {}, params: { export_type: 1 } }, name)) {
      const status = await posts(operation, params, `${position} ${name}`)
      if (position === 'export_type') assert.equal(status, 400, name)
    }
})

test('hostile names are not devices', async () => {
  for (const token of hostileNames) assert.equal(await posts(sendTestNotification, { token }, token), 400)
})

async function uploadsTo(path: string, file: TestFile) {
  const { headers, payload } = multipartFiles([file])
  const response = await world.app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { ...world.adam.headers, ...headers },
    payload,
  })
  assertHarmless(response, `${path} ${JSON.stringify(file.filename)}: ${response.body.slice(0, 300)}`)
  return response.json() as { url?: string }
}

test('uploaded files may have hostile names, types and field names, and can be downloaded', async () => {
  for (const name of hostileNames) {
    const { url } = await uploadsTo(uploadFile.path, { content: 'x', filename: name })
    const file = url && (await fetches(world, world.adam, url))
    assert.ok(!file || (file.statusCode === 200 && file.headers['x-injected'] === undefined), name)
    await uploadsTo(uploadFile.path, { content: 'x', type: name, field: name })
  }
})

test('images may have hostile names', async () => {
  const content = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  for (const name of lookedUp) {
    await uploadsTo(uploadEmoji.path.replace('{emoji_name}', encodeURIComponent(name)), { content, filename: name })
    await uploadsTo(uploadAvatar.path, { content, filename: name, type: name })
  }
})
