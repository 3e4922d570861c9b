import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sendMessage } from '@parley/api/conversations/messages'
import { tempFolder } from '../../platform/postgres/test-support.ts'
import { inChannel } from '../../testing/channels.ts'
import { runCommand } from '../../testing/command.ts'
import { newWorld } from '../../testing/world.ts'
import { environmentOf } from '../../testing/world-command.ts'

const folder = tempFolder({ after })

const provider = { id: 'x', name: 'X', issuer: 'https://x.test', client_id: 'x', client_secret: 'canary-oidc' }

/** Every setting that is a secret, or contains one. */
function secrets(): Record<string, string> {
  const SIGN_ON_FILE = join(folder, 'sign-on.json')
  writeFileSync(SIGN_ON_FILE, JSON.stringify({ oidc: [provider] }))
  return {
    SIGN_ON_FILE,
    OLD_SECRET_KEYS: 'canary-old-key-canary-old-key-canary',
    METRICS_TOKEN: 'canary-metrics',
    SMTP_URL: 'smtp://canary-user:canary-mail@127.0.0.1:1?x=canary',
    MEDIA_PROXY_URL: 'https://media.example.com/external_content',
    MEDIA_PROXY_KEY: 'canary-media',
    BIG_BLUE_BUTTON_URL: 'https://calls.example.com/bigbluebutton',
    BIG_BLUE_BUTTON_SECRET: 'canary-calls',
    FILES_URL: 's3://bucket/folder?endpoint=http://127.0.0.1:1',
    AWS_ACCESS_KEY_ID: 'canary-aws-id',
    AWS_SECRET_ACCESS_KEY: 'canary-aws',
  }
}

test('a bundle says what the server is like, and contains no planted secret, message or name', async () => {
  const world = await newWorld()
  await inChannel('canary-channel', [world.ann])
  await world.ann.does(sendMessage, { type: 'channel', to: 'canary-channel', topic: 'canary-topic', content: 'canary' })
  await world.ctx.pool.query(
    `insert into jobs.jobs (task, payload, attempts, max_attempts, last_error)
     values ('send_mail', '{"secret": "canary"}', 25, 25, 'refused canary@example.com at smtp://u:canary@mail.example.com')`,
  )
  const file = join(folder, 'bundle.json')
  const env = { ...environmentOf(world), ...secrets() }
  const { code, output } = await runCommand(['support-bundle', file], { env })

  assert.equal(code, 0, output)
  const text = readFileSync(file, 'utf8')
  const password = new URL(world.ownerUrl).password
  for (const secret of ['canary', world.ctx.config.secretKey!, ...(password ? [password] : [])])
    assert.ok(!text.includes(secret), `"${secret}" is in the bundle`)
  const { config, checks, database } = JSON.parse(text)
  assert.deepEqual([config.smtpUrl, config.metricsToken, config.signOn.oidc], ['smtp://127.0.0.1:1', 'set', 1])
  assert.ok(checks.length > 4 && database.tables.length > 50 && database.migrations.length > 0)
  assert.deepEqual(database.jobs.find(({ task }: { task: string }) => task === 'send_mail').error, 'refused … at …')
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

test('a bundle replaces no file, and is written without a database too', async () => {
  const file = join(folder, 'taken.json')
  writeFileSync(file, 'mine')
  const env = { DATABASE_URL: 'postgres://parley:canary@127.0.0.1:1/parley', DATA_DIR: folder }
  assert.match((await runCommand(['support-bundle', file], { env })).output, /taken\.json cannot be written/)
  assert.equal(readFileSync(file, 'utf8'), 'mine')

  const other = join(folder, 'other.json')
  assert.equal((await runCommand(['support-bundle', other], { env })).code, 0)
  assert.doesNotMatch(readFileSync(other, 'utf8'), /canary/)
})
