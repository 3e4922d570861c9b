import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeContext, createContext } from '../../../boot/create-context.ts'
import { buildApp } from '../../../http/app.ts'
import { parseFilesUrl } from '../../../platform/files/s3/location.ts'
import { multipartFiles } from '../../../testing/files.ts'
import { s3Credentials, startS3Server } from '../../../testing/peers/s3-server.ts'
import { newWorld } from '../../../testing/world.ts'

test('while the bucket is gone, files get 503 and the health check has a warning; the rest works', async (t) => {
  const { ann, ctx: other } = await newWorld()
  const s3 = await startS3Server()
  const files = parseFilesUrl(s3.filesUrl, s3Credentials)
  const ctx = await createContext({ ...other.config, files }, other.pool.options.connectionString!)
  const app = buildApp(ctx)
  t.after(async () => {
    await app.close()
    await closeContext(ctx)
  })
  const upload = () => {
    const { headers, payload } = multipartFiles([{ content: 'a few words', type: 'text/plain' }])
    return app.inject({ method: 'POST', url: '/api/v1/user_uploads', headers: { ...ann.headers, ...headers }, payload })
  }
  const { url } = (await upload()).json() as { url: string }
  assert.equal((await app.inject({ url, headers: ann.headers })).body, 'a few words')

  await s3.stop()
  const answers = [await upload(), await app.inject({ url, headers: ann.headers })]
  for (const { statusCode, headers } of answers) assert.deepEqual([statusCode, headers['retry-after']], [503, '2'])
  const ready = await app.inject({ url: '/health/ready' })
  assert.equal(ready.statusCode, 200)
  assert.match(ready.json().warnings[0], /^Files cannot be stored \(.*ECONNREFUSED/)
  assert.equal((await app.inject({ url: '/api/v1/users/me', headers: ann.headers })).statusCode, 200)

  const again = await startS3Server(s3.port)
  t.after(() => again.stop())
  assert.equal((await upload()).statusCode, 200)
})
