import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { query } from '../../platform/postgres/test-support.ts'
import { importingWorld } from '../../testing/importing/imported-world.ts'
import { channel, exportOf, post, reply, team, user } from '../../testing/importing/mattermost-export.ts'
import { until } from '../../testing/until.ts'
import { environmentOf } from '../../testing/world-command.ts'
import { restoreSearchIndexes } from './search-indexes.ts'

const roots = 3000
const cli = join(import.meta.dirname, '../../cli/main.ts')

function largeExport(): Buffer {
  const posts = Array.from({ length: roots }, (_, index) => {
    const minute = (index * 7919) % roots // in no order
    return post('cranes', 'zoe', `message ${index}`, minute, {
      replies: [reply('zoe', `reply ${index}`, minute + 3)],
      reactions: [{ user: 'zoe', emoji_name: 'tada', create_at: 1 }],
    })
  })
  return exportOf([team('dock', 'Dock'), channel('cranes', 'Cranes'), user('zoe', { cranes: {} }), ...posts])
}

test('an import that is killed leaves the organization closed, and the same command completes it: nothing lost, doubled or out of order', async () => {
  const into = await importingWorld()
  const { world, id } = into
  const path = join(world.ctx.config.dataDir, 'large.zip')
  await writeFile(path, largeExport())
  const args = [cli, 'import', path, '--source', 'mattermost', '--into', id]
  const count = async (what: string) =>
    Number(
      (
        await query(
          world.ownerUrl,
          `select count(*) as n from ${what} where realm_id = (select id from realms where string_id = '${id}')`,
        )
      )[0]!.n,
    )

  const indexes = async () =>
    query(world.ownerUrl, "select indexdef from pg_indexes where tablename = 'messages' order by indexname")
  const before = await indexes()

  const child = spawn(process.execPath, args, { env: { ...process.env, ...environmentOf(world) }, stdio: 'ignore' })
  const ended = once(child, 'exit')
  await until(async () => child.exitCode !== null || (await count('messages')) > 0, 120)
  child.kill('SIGKILL')
  await ended
  const loaded = await count('messages')
  assert.ok(loaded > 0 && loaded < 2 * roots, `killed after ${loaded} messages`)
  assert.equal(loaded, (await count('import_map')) - 3, 'each message with its key')
  const [realm] = await query(world.ownerUrl, `select deactivated from realms where string_id = '${id}'`)
  assert.deepEqual(realm, { deactivated: true })

  assert.equal((await indexes()).length, before.length - 3, 'without the indexes for search, it is faster')
  await restoreSearchIndexes(world.ownerUrl)
  assert.deepEqual(await indexes(), before)

  const { code, output } = await into.run(path)

  assert.equal(code, 0, output)
  assert.deepEqual(await indexes(), before)
  assert.deepEqual([await count('messages'), await count('reactions')], [2 * roots, roots])
  const [order] = await query(
    world.ownerUrl,
    `select count(distinct content) as texts, count(*) filter (where date_sent < earlier) as disorder
       from (select content, date_sent, lag(date_sent) over (order by id) as earlier from messages
              where realm_id = (select id from realms where string_id = '${id}')) m`,
  )
  assert.deepEqual([Number(order!.texts), Number(order!.disorder)], [2 * roots, 0])
})
