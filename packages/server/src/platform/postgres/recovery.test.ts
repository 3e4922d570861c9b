import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from './embedded.ts'
import { isAlive, otherParley, postmasterPid, query, start, tempFolder, untilHealthy } from './test-support.ts'

const dataDir = join(tempFolder({ after }), 'data')

before(async () => {
  const postgres = await startEmbeddedPostgres({ dataDir, log() {} })
  await postgres.stop()
})

test('a killed postmaster is replaced at the same URL, and no commit is lost', async (t) => {
  const { url, lines } = await start(t, dataDir)
  await query(url, 'CREATE TABLE kept AS SELECT 42 AS answer')
  const connected = query(url, 'SELECT pg_sleep(60)').catch(() => 'cut off') // a backend that is busy during the restart
  await sleep(100)

  for (let round = 0; round < 2; round++) {
    process.kill(postmasterPid(dataDir), 'SIGKILL')
    await sleep(20)
    assert.ok((await untilHealthy(url)) < 5_000)
  }

  assert.deepEqual(await query(url, 'SELECT answer FROM kept'), [{ answer: 42 }])
  assert.match(lines.join(), /ended unexpectedly \(SIGKILL/)
  assert.equal(await connected, 'cut off')
})

test('a killed backend interrupts other connections only briefly', async (t) => {
  const { url } = await start(t, dataDir)
  void query(url, 'SELECT pg_sleep(60)').catch(() => {})
  await sleep(100)
  const [busy] = await query(url, `SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'`)

  process.kill(Number(busy?.pid), 'SIGKILL')
  await sleep(20)

  assert.ok((await untilHealthy(url)) < 5_000)
})

test('stop() works while a killed postmaster is being replaced', async (t) => {
  const { stop } = await start(t, dataDir)

  process.kill(postmasterPid(dataDir), 'SIGKILL')
  await sleep(5)
  await stop()

  await start(t, dataDir) // the folder is unlocked again
})

test('after kill -9 of Parley the next start takes over from the orphan', async (t) => {
  const { child } = await otherParley(t, dataDir)
  const orphan = postmasterPid(dataDir)
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.ok(isAlive(orphan))

  const { url } = await start(t, dataDir)

  assert.equal(isAlive(orphan), false)
  assert.notEqual(postmasterPid(dataDir), orphan)
  await query(url, 'SELECT 1')
})
