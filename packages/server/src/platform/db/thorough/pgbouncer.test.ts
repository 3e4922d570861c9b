import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { getEvents } from '@parley/api/delivery/queues'
import { closeContext, createContext } from '../../../boot/create-context.ts'
import { openDatabase } from '../../../boot/open-database.ts'
import { readConfig } from '../../../config.ts'
import { buildApp } from '../../../http/app.ts'
import { Actor } from '../../../testing/actor.ts'
import { freePort } from '../../../testing/crash/crashing-program.ts'
import { FreezingProxy } from '../../../testing/peers/freezing-proxy.ts'
import { until } from '../../../testing/until.ts'
import { asServer, newWorld } from '../../../testing/world.ts'
import { cleanUp, isRoot, query, tempFolder } from '../../postgres/test-support.ts'

/** CI sets REQUIRE_PGBOUNCER, so that the tests cannot be skipped there without notice. */
const isMissing = !process.env.REQUIRE_PGBOUNCER && !hasPgBouncer()
if (isMissing) console.error('SKIPPED: the tests of PgBouncer need the package "pgbouncer".')
const options = { skip: isMissing && 'pgbouncer is not installed' }

function hasPgBouncer(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** PgBouncer in front of PostgreSQL, as a package of the system. Returns the URL through it. */
async function behindPgBouncer(t: TestContext, mode: 'session' | 'transaction' | 'statement', databaseUrl: string) {
  const folder = tempFolder(t)
  chmodSync(folder, 0o777)
  const { username, password } = new URL(databaseUrl)
  const target = new URL((await FreezingProxy.start(t, databaseUrl)).url)
  const port = await freePort()
  writeFileSync(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`)
  const config = join(folder, 'pgbouncer.ini')
  writeFileSync(
    config,
    `[databases]\n* = host=127.0.0.1 port=${target.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
      `unix_socket_dir =\nauth_type = trust\nauth_file = ${join(folder, 'users')}\npool_mode = ${mode}\n` +
      'max_client_conn = 100\ndefault_pool_size = 50\n',
  )
  const asNobody = 'setpriv --reuid=nobody --regid=nogroup --clear-groups ' // PgBouncer refuses to run as root
  const pooler = spawn(`exec ${isRoot ? asNobody : ''}pgbouncer ${config}`, { shell: true, stdio: 'ignore' })
  cleanUp(t, async () => {
    pooler.kill('SIGKILL')
    if (pooler.exitCode === null && pooler.signalCode === null) await once(pooler, 'exit')
  })
  target.port = String(port)
  const url = target.toString()
  await until(() => query(url, 'select 1').catch(() => undefined))
  return url
}

const production = (DATABASE_URL: string) => readConfig('production', { DATABASE_URL, LOG_LEVEL: 'fatal' })

test('a server works behind PgBouncer in session mode: limits, wake-ups and delivery', options, async (t) => {
  const world = await newWorld()
  const owner = await behindPgBouncer(t, 'session', world.ownerUrl)
  await (await openDatabase(production(owner), () => {})).close()
  const url = await behindPgBouncer(t, 'session', asServer(world.ownerUrl))
  const ctx = await createContext(world.ctx.config, url)
  const app = buildApp(ctx)
  cleanUp(t, async () => {
    await app.close()
    await closeContext(ctx)
  })
  const there = ({ id, name, credentials }: Actor) => new Actor(app, id, name, credentials)

  const { rows } = await ctx.pool.query('show statement_timeout')
  const { queue_id, last_event_id } = await there(world.ben).registers()
  const waiting = there(world.ben).does(getEvents, { queue_id, last_event_id })
  await there(world.ann).sends({ to: [world.ben], content: 'through the pooler' })
  await world.ben.registers()
  await there(world.ann).sends({ to: [world.ben], content: 'to another process' })

  assert.deepEqual(rows, [{ statement_timeout: '5s' }])
  assert.deepEqual(
    (await waiting).events.map(({ type }) => type),
    ['message'],
  )
  await until(async () => (await world.ben.receives('message')).length === 1)
})

for (const mode of ['transaction', 'statement'] as const)
  test(`PgBouncer in ${mode} mode is refused at start with one sentence`, options, async (t) => {
    const { ownerUrl } = await newWorld()
    const url = await behindPgBouncer(t, mode, ownerUrl)
    await assert.rejects(
      openDatabase(production(url), () => {}),
      { name: 'StartupError', message: /pooler .* set pool_mode = session for this database/ },
    )
  })
