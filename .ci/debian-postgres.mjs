// The Debian package beside Debian's PostgreSQL: a new database is created with it, and never opened with another one.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const [major] = process.argv.slice(2)
const server = spawn('parley', ['serve'], { stdio: 'inherit' })
const answers = () =>
  fetch('http://127.0.0.1:9991/health/ready').then(
    ({ status }) => status === 200,
    () => false,
  )
while (!(await answers())) {
  assert.equal(server.exitCode, null, 'the server ended instead of starting')
  await sleep(250)
}
assert.equal(readFileSync('/var/lib/parley/postgres/PG_VERSION', 'utf8').trim(), major)
const { stdout } = spawnSync('parley', ['check'], { encoding: 'utf8' })
assert.match(stdout, new RegExp(`PostgreSQL ${major}\\.\\d+ \\(Debian`))
server.kill('SIGTERM')
await once(server, 'exit')

renameSync(`/usr/lib/postgresql/${major}`, `/usr/lib/postgresql/away`)
const { status, stderr } = spawnSync('parley', ['serve'], { encoding: 'utf8' })
assert.equal(status, 1)
assert.match(stderr, new RegExp(`created by PostgreSQL ${major}, .*apt install postgresql-${major}`))
console.log(`The Debian package uses Debian's PostgreSQL ${major}.`)
