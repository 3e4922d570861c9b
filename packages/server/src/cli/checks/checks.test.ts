import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { tempFolder } from '../../platform/postgres/test-support.ts'
import { runCommand } from '../../testing/command.ts'
import { newMailReceiver } from '../../testing/peers/mail-receiver.ts'
import { createDatabase } from '../../testing/world.ts'

const folder = tempFolder({ after })

async function environment(more: Record<string, string> = {}): Promise<Record<string, string>> {
  return { DATABASE_URL: await createDatabase(), DATA_DIR: mkdtempSync(join(folder, 'data-')), ...more }
}

test('a server in order has no problems, and what is not set is named', async () => {
  const { url: SMTP_URL } = await newMailReceiver()
  const { code, output } = await runCommand(['check'], { env: await environment({ SMTP_URL }) })

  assert.equal(code, 0, output)
  assert.match(output, /^CHECK +RESULT +DETAIL\nversions +ok +Parley .*\ndatabase +ok +PostgreSQL \d+/)
  for (const check of ['clock', 'disk', 'files', 'mail']) assert.match(output, new RegExp(`\n${check} +ok `))
  assert.match(output, /\ntls +not set +without PUBLIC_URL/)
})

test('each problem is named, and the exit code is 1', async () => {
  const wrong = { SMTP_URL: 'smtp://127.0.0.1:1', PUBLIC_URL: 'https://127.0.0.1:1' }
  const env = await environment({ ...wrong, DATABASE_URL: 'postgres://parley:a-password@127.0.0.1:1/parley' })
  const { code, output } = await runCommand(['check', '--json'], { env })

  assert.equal(code, 1)
  const found = JSON.parse(output) as { check: string; result: string }[]
  const problems = found.filter(({ result }) => result === 'problem').map(({ check }) => check)
  assert.deepEqual(problems, ['versions', 'database', 'clock', 'mail', 'tls'])
  assert.doesNotMatch(output, /a-password/)
})

test('a test email is sent with the settings of the server, and a refusal is explained', async () => {
  const receiver = await newMailReceiver()
  const env = { SMTP_URL: receiver.url, MAIL_FROM: 'Parley <chat@example.com>' }
  const send = (to: string, given: Record<string, string> = env) => runCommand(['mail', 'test', to], { env: given })

  const { code, output } = await send('ann@example.com')
  receiver.refusals.push('550 No such user')
  const refused = await send('nobody@example.com')

  assert.equal(code, 0, output)
  assert.match(output, /^The mail server accepted an email from Parley <chat@example\.com> to ann@example\.com\./)
  assert.match(receiver.mail[0]!.source, /Subject: Test email of Parley/)
  assert.match(refused.output, /^The mail server did not accept the email \(.*550 No such user.*\): check SMTP_URL/s)
  assert.match((await send('ann@example.com', {})).output, /^Set SMTP_URL to your mail server/)
  assert.match((await send('nonsense')).output, /^Invalid email address/)
})
