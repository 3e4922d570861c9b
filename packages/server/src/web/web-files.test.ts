import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { notReadyReason } from '../http/readiness.ts'
import { newWorld } from '../testing/world.ts'
import { WebFiles } from './web-files.ts'

/** A file: nobody can create folders in it. */
const readOnlyFolder = join(import.meta.filename, 'dist')

test('the web client comes with the licences of what it contains', async () => {
  const { ctx } = await newWorld()
  const web = new WebFiles(ctx.log)
  await web.prepare()
  const licences = String(web.get('licences.txt')!.body)
  for (const name of ['react', 'katex', '@fontsource-variable/inter', 'twemoji-colr-font', 'lucide'])
    assert.match(licences, new RegExp(`^${name}\\b`, 'm'), name)
})

test('a server that has no web client and cannot build one is not ready, and says what to run', async () => {
  const { ctx } = await newWorld()
  const web = new WebFiles(ctx.log, readOnlyFolder)
  await web.prepare()

  assert.match((await notReadyReason({ ...ctx, web }))!, /there is no web client: .* run "npm run build"/)
})
