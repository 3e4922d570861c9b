import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { tempFolder } from '../../platform/postgres/test-support.ts'
import { until } from '../until.ts'
import { freePort, type Program } from './crashing-program.ts'
import { acknowledgedIn, storm } from './harness.ts'
import { brokenPromises } from './record.ts'
import { withPostgres } from './servers.ts'

/** Needs haproxy and nginx, and a few minutes: ROLLING_RESTARTS=9. */
const rounds = Number(process.env.ROLLING_RESTARTS ?? 0)
const deploy = join(import.meta.dirname, '../../../../../deploy')

const proxies: Record<string, (config: string) => ChildProcess> = {
  'haproxy.cfg': (config) => spawn('haproxy', ['-db', '-f', config], { stdio: 'inherit' }),
  'nginx.conf': (config) =>
    spawn('nginx', ['-p', join(config, '..'), '-e', 'stderr', '-c', config, '-g', 'daemon off;'], { stdio: 'inherit' }),
}

for (const [file, start] of Object.entries(proxies))
  test(`rolling restarts behind deploy/${file} fail no request and no poll`, { skip: rounds === 0 }, async (t) => {
    await withPostgres(async ({ url, program }) => {
      const env = { STOP_GRACE: '3' }
      const servers: Program[] = [await program('serve', env), await program('serve', env)]
      const config = join(tempFolder(t), file)
      const port = await freePort()
      const [first, second] = servers.map((server) => String(server.port)) as [string, string]
      const text = readFileSync(join(deploy, file), 'utf8')
      const own = text.replace('8080', String(port)).replace('9991', first).replace('9992', second)
      writeFileSync(config, file === 'nginx.conf' ? `pid ${config}.pid;\n${own}` : own)
      const running = start(config)
      const answers = () =>
        fetch(`http://127.0.0.1:${port}/health`).then(
          ({ ok }) => ok,
          () => false,
        )
      await until(answers)

      const record = await storm({
        programs: [{ port }],
        databaseUrl: url,
        rounds,
        strike: async (round) => {
          const server = servers[round % 2]!
          await server.stop()
          await server.start()
          await sleep(2500) // until the proxy has noticed that it is back
        },
      })
      running.kill()
      await once(running, 'exit')

      assert.deepEqual([record.failures, record.unknown], [[], []])
      assert.deepEqual(brokenPromises(record), [])
      assert.ok(acknowledgedIn(record) > 50)
    })
  })
