import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import * as api from '@parley/api/operation/export'
import { sql } from 'kysely'
import { uploadPath } from '../../conversations/uploads/paths.ts'
import { inChannel } from '../../testing/channels.ts'
import { freePort, Program } from '../../testing/crash/crashing-program.ts'
import { localOnly } from '../../testing/files.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'

const size = 40_000_000

/** A message with a large file that cannot be compressed, so that packing takes a while. */
async function attach({ ctx, realmId, ann }: World): Promise<void> {
  await inChannel('verona', [ann])
  const message = await ann.sends({ channel: 'verona', content: 'here it is' })
  const path = `${realmId}/00/large/large`
  await ctx.files.put(uploadPath(path), randomBytes(size))
  await sql`
    with a as (insert into attachments (realm_id, owner_id, name, path_id, content_type, size)
               values (${realmId}, ${ann.id}, 'large', ${path}, 'text/plain', ${size}) returning id)
    insert into attachment_messages (realm_id, attachment_id, message_id) select ${realmId}, id, ${message} from a`.execute(
    ctx.db,
  )
}

test('an export whose process is killed is never shown incomplete, and the next process completes it once', {
  skip: localOnly,
}, async () => {
  const world = await newWorld()
  const { adam, ctx, realmId } = world
  await attach(world)
  const folder = join(ctx.config.dataDir, 'files')
  const filesIn = (path: string) => readdir(join(folder, path)).catch(() => [] as string[])
  const finished = () => filesIn(`stored/exports/${realmId}`)
  const listed = async () => (await adam.does(api.getExports)).exports[0]!
  await adam.does(api.exportRealm)
  const program = new Program(await freePort(), {
    DATABASE_URL: world.ownerUrl,
    DATA_DIR: ctx.config.dataDir,
    SECRET_KEY: ctx.config.secretKey!,
  })
  try {
    await program.start()
    await until(async () => (await filesIn('unfinished')).length > 0)
    await program.kill()
    assert.deepEqual(await finished(), [], 'killed too late to show anything')
    assert.deepEqual([(await listed()).pending, (await listed()).export_url], [true, null])

    await program.start()
    await until(async () => !(await listed()).pending, 60)
  } finally {
    await program.kill()
  }
  const { export_url, failed_timestamp } = await listed()
  assert.equal(failed_timestamp, null)
  const [name, ...others] = await finished()
  assert.deepEqual(others, [])
  assert.ok(export_url!.endsWith(`/exports/${realmId}/${name}`))
  const archive = gunzipSync(await readFile(join(folder, 'stored/exports', String(realmId), name!))) // fails unless whole
  assert.ok(archive.length > size)
  assert.ok(archive.includes('own_flags.jsonl'))
})
