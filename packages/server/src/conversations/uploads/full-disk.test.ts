import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { closeContext, createContext } from '../../boot/create-context.ts'
import { buildApp } from '../../http/app.ts'
import { rootOnly, tempFolder } from '../../platform/postgres/test-support.ts'
import { localOnly, multipartFiles } from '../../testing/files.ts'
import { newWorld } from '../../testing/world.ts'

test('on a full disk uploads get a clear error, and the health check has a warning', {
  skip: rootOnly || localOnly,
}, async (t) => {
  const { ann, ctx: other } = await newWorld()
  const dataDir = tempFolder(t)
  const folder = join(dataDir, 'files')
  const ctx = await createContext({ ...other.config, dataDir }, other.pool.options.connectionString!)
  const app = buildApp(ctx)
  t.after(async () => {
    await app.close()
    await closeContext(ctx)
  })
  mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
  assert.throws(() => writeFileSync(join(folder, 'large'), Buffer.alloc(100_000)), { code: 'ENOSPC' })

  const { headers, payload } = multipartFiles([{ content: 'a few words' }])
  const request = { method: 'POST', url: '/api/v1/user_uploads', payload } as const
  const upload = await app.inject({ ...request, headers: { ...ann.headers, ...headers } })
  const ready = await app.inject({ url: '/health/ready' })
  execFileSync('umount', [folder])

  assert.deepEqual([upload.statusCode, upload.json().code], [507, 'INSUFFICIENT_STORAGE'])
  assert.deepEqual([ready.statusCode, ready.json().warnings.length], [200, 1])
  assert.match(ready.json().warnings[0], /^Files cannot be stored/)
})
