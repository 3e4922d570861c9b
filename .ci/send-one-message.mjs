// Starts the demo by the given command, sends a message, reads it back, and stops the demo. Runs on any Node from 20,
// without dependencies.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

const port = process.env.CI_PORT ?? '19992'
const origin = `http://127.0.0.1:${port}`
const api = `${origin}/api/v1`
const email = 'member@example.com'
const content = 'sent on a minimal machine'

async function call(path, form, authorization, url = api) {
  const body = form && new URLSearchParams(form)
  const headers = authorization ? { authorization } : {}
  const response = await fetch(`${url}${path}`, { method: form ? 'POST' : 'GET', body, headers })
  const answer = await response.json()
  assert.equal(answer.result, 'success', `${path}: ${JSON.stringify(answer)}`)
  return answer
}

async function ready(server) {
  for (let attempt = 0; attempt < 480; attempt++) {
    assert.equal(server.exitCode, null, 'the server ended instead of starting')
    if (await call('/server_settings').catch(() => undefined)) return
    await sleep(250)
  }
  throw new Error('The server is not ready after two minutes.')
}

const [command, ...args] = process.argv.slice(2)
const server = spawn(command, args, { stdio: 'inherit', env: { ...process.env, PORT: port } })
try {
  await ready(server)
  const { api_key } = await call('/dev_fetch_api_key', { username: email })
  const authorization = `Basic ${btoa(`${email}:${api_key}`)}`
  await call('/messages', { type: 'stream', to: 'general', topic: 'ci', content }, authorization)
  const { messages } = await call('/messages?anchor=newest&num_before=5&num_after=0', undefined, authorization)
  assert.ok(
    messages.some((message) => message.content.includes(content)),
    'the message is not there',
  )
  await call('/health/ready', undefined, undefined, origin) // not ready without a web client
} finally {
  server.kill('SIGTERM')
}
const [code] = server.exitCode === null ? await once(server, 'exit') : [server.exitCode]
assert.equal(code, 0, `the server ended with ${code}`)
console.log(`Sent a message with Node ${process.version}.`)
