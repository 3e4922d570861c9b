// The life of the Debian package on a machine without systemd: VERSION.deb is installed, a later one replaces it while it
// runs, one that cannot migrate and an older one are refused, then it is removed and purged.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const [first, later, broken] = process.argv.slice(2)
const origin = 'http://127.0.0.1:9991'
const settings = '/etc/parley/parley.env'
const password = 'a quiet harbour at dawn'
const content = 'sent with the Debian package'

function run(command, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options })
  return { status, output: `${stdout}${stderr}` }
}

function succeed(command, args, options) {
  const { status, output } = run(command, args, options)
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${output}`)
  return output
}

function refuse(version, reason) {
  const { status, output } = run('dpkg', ['-i', `${version}.deb`])
  assert.notEqual(status, 0, `${version} was installed`)
  assert.match(output, reason)
}

const installed = () => readlinkSync('/usr/lib/parley/current')
const answers = () =>
  fetch(`${origin}/health/ready`).then(
    ({ status }) => status === 200,
    () => false,
  )

async function start() {
  const server = spawn('parley', ['serve'], { stdio: 'inherit' })
  while (!(await answers())) {
    assert.equal(server.exitCode, null, 'the server ended instead of starting')
    await sleep(250)
  }
  return server
}

async function stop(server) {
  server.kill('SIGTERM')
  assert.deepEqual(await once(server, 'exit'), [0, null])
}

async function call(path, form, authorization) {
  const headers = authorization ? { authorization } : {}
  const body = form && new URLSearchParams(form)
  const response = await fetch(`${origin}/api/v1${path}`, { method: form ? 'POST' : 'GET', body, headers })
  const answer = await response.json()
  assert.equal(answer.result, 'success', JSON.stringify(answer))
  return answer
}

/** Requests, one after the other, while another version is installed. */
async function whileServing(work) {
  let failed = 0
  let done = false
  const watching = (async () => {
    for (; !done; await sleep(20)) if (!(await answers())) failed++
  })()
  const child = work()
  const [status] = await once(child, 'exit')
  done = true
  await watching
  assert.equal(failed, 0, 'requests failed')
  assert.equal(status, 0)
}

succeed('dpkg', ['-i', `${first}.deb`])
assert.equal(installed(), first)
assert.equal(statSync(settings).mode & 0o777, 0o640)
assert.equal(statSync('/var/lib/parley').mode & 0o777, 0o700)
assert.equal(succeed('parley', ['--version']).trim(), first)

let server = await start()
const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
succeed('parley', ['realm', 'create', '--name', 'Harbour', '--string-id', 'harbour', ...owner], {
  input: `${password}\n`,
})
const { api_key } = await call('/fetch_api_key', { username: 'ada@example.com', password })
const authorization = `Basic ${btoa(`ada@example.com:${api_key}`)}`
const { user_id } = await call('/users/me', undefined, authorization)
await call('/messages', { type: 'direct', to: `[${user_id}]`, content }, authorization)

appendFileSync(settings, '# kept\n')
await whileServing(() => spawn('dpkg', ['-i', `${later}.deb`], { stdio: 'inherit' }))
assert.equal(installed(), later)
assert.ok(existsSync(`/usr/lib/parley/${first}/server/main.js`), 'the running version has lost its files')
assert.match(readFileSync(settings, 'utf8'), /# kept/)

refuse(first, /cannot be used by/)
refuse(broken, /this version was not installed/)
assert.equal(installed(), later)
assert.ok(await answers())
succeed('dpkg', ['-i', `${later}.deb`])

await stop(server)
server = await start()
assert.equal(succeed('parley', ['--version']).trim(), later)
const { messages } = await call('/messages?anchor=newest&num_before=5&num_after=0', undefined, authorization)
assert.ok(messages.some((message) => message.content.includes(content)))
await stop(server)

succeed('dpkg', ['--remove', 'parley'])
assert.ok(!existsSync('/usr/lib/parley') && existsSync(settings) && existsSync('/var/lib/parley/postgres'))
assert.match(succeed('dpkg', ['--purge', 'parley']), /data in \/var\/lib\/parley is still there/)
assert.ok(!existsSync(settings) && existsSync('/var/lib/parley/postgres'))
console.log('The Debian package was installed, upgraded, refused, removed and purged.')
