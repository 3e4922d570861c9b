import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { tempFolder } from '../platform/postgres/test-support.ts'
import { runCommand } from '../testing/command.ts'
import { runParley } from '../testing/program.ts'
import { asServer, createDatabase } from '../testing/world.ts'

const folder = tempFolder({ after })
let prepared: Promise<Record<string, string>> | undefined

/** The environment of a database with one organization, Example, and its owner. */
function organization(): Promise<Record<string, string>> {
  prepared ??= createOrganization()
  return prepared
}

async function createOrganization(): Promise<Record<string, string>> {
  const env = {
    DATABASE_URL: await createDatabase(),
    DATA_DIR: join(folder, 'data'),
    SECRET_KEY: 'a secret only for the tests of Parley',
  }
  const owner = ['--owner-email', 'olga@example.com', '--owner-name', 'Olga']
  const create = ['realm', 'create', '--name', 'Example', '--string-id', 'example', ...owner]
  const { code, output } = await runCommand(create, { env, input: 'correct horse battery' })
  assert.equal(code, 0, output)
  return env
}

function csv(name: string, ...lines: string[]): string {
  const file = join(folder, name)
  writeFileSync(file, lines.join('\n'))
  return file
}

test('a command refuses a folder without data and does not create a database there', async () => {
  const DATA_DIR = join(folder, 'elsewhere')
  const { code, output } = await runCommand(['user', 'list'], { env: { DATA_DIR } })

  assert.equal(code, 1)
  assert.match(output, /^There is no Parley data in .*elsewhere: set DATA_DIR/)
  assert.equal(existsSync(DATA_DIR), false)
})

test('organizations and their accounts are listed', async () => {
  const env = await organization()

  const realms = (await runCommand(['realm', 'list'], { env })).output
  assert.equal(realms, 'STRING ID  NAME     HOST  USERS  DEACTIVATED\nexample    Example  -     1      no\n')
  assert.match((await runCommand(['user', 'list'], { env })).output, /^ID .*\n\d+ +olga@example.com +Olga +owner +0\n$/)
  assert.match((await runCommand(['user', 'list', '--all'], { env })).output, /Notification Bot +member +yes +yes +0\n/)
  const [owner] = JSON.parse((await runCommand(['user', 'list', '--json'], { env })).output)
  assert.deepEqual({ ...owner, id: 0 }, { id: 0, email: 'olga@example.com', name: 'Olga', role: 'owner', sessions: 0 })
})

test('accounts are created from a CSV file, with their keys, and existing ones are skipped', async () => {
  const env = await organization()
  const file = csv(
    'people.csv',
    'email,full_name,role',
    'ann@example.com,"Ann, the First",admin',
    'ben@example.com,Ben,',
  )
  const create = ['user', 'create', '--from-csv', file, '--keys']

  const first = await runCommand(create, { env })
  const second = await runCommand(create, { env })

  assert.match(first.output, /ann@example.com,\w{32}\nben@example.com,\w{32}\nCreated 2 accounts in Example/)
  assert.match(
    second.output,
    /Created 0 accounts in Example.\nSkipped, because the email is in use: ann@example.com, ben/,
  )
  const { output } = await runCommand(['user', 'list'], { env })
  assert.match(output, /ann@example.com +Ann, the First +admin .*\n.*ben@example.com +Ben +member /s)
})

test('commands work with a role that only serves', async () => {
  const env = await organization()
  const serving = { ...env, DATABASE_URL: asServer(env.DATABASE_URL!) }
  assert.match((await runCommand(['realm', 'list'], { env: serving })).output, /\nexample /)
  const create = ['user', 'create', 'sam@example.com', '--name', 'Sam']
  assert.equal((await runCommand(create, { env: serving, input: 'correct horse battery' })).code, 0)
  assert.equal((await runCommand(['migrate'], { env: serving })).output, 'The database is up to date.\n')
})

test('psql is started on the database, and its arguments do not contain the password', async (t) => {
  const { DATABASE_URL } = await organization()
  const PATH = join(folder, 'bin')
  const env = { DATABASE_URL: DATABASE_URL!.replace('@', ':a%20secret@').replace(/:[^:/]+:a/, ':a'), PATH }
  const psql = () => runParley(t, ['psql', '--', '-c', 'select 1'], { env })
  assert.match((await psql()).output, /^psql is not installed: on Debian/)
  mkdirSync(PATH)
  writeFileSync(join(PATH, 'psql'), '#!/bin/sh\necho "$@ password $PGPASSWORD"; exit 3\n', { mode: 0o755 })
  const { code, output } = await psql()
  assert.equal(code, 3)
  assert.match(output, /^postgres(ql)?:\/\/\w+@[^ ]+ -c select 1 password a secret\n$/)
})

test('the audit log is printed and verified, and a changed row is found', async () => {
  const env = await organization()
  const printed = (await runCommand(['audit-log', 'print'], { env })).output.trim().split('\n')
  const rows = printed.map((line) => JSON.parse(line) as { id: number; action: string; hash: string })
  assert.deepEqual([rows.at(-1)!.id, rows.at(-1)!.action], [1, 'channels_created'])
  const verified = await runCommand(['audit-log', 'verify'], { env })
  assert.deepEqual(verified, { code: 0, output: `example: ${rows.length} rows, last hash ${rows[0]!.hash}\n` })

  const client = new pg.Client({ connectionString: env.DATABASE_URL! })
  await client.connect()
  const set = (target: string) => client.query('update audit_log set target = $1 where number = 1', [target])
  const before = await client.query('select target from audit_log where number = 1')
  await set('{"forged": true}')
  const broken = await runCommand(['audit-log', 'verify', '--realm', 'example'], { env })
  await set(before.rows[0].target)
  await client.end()
  assert.equal(broken.code, 1)
  assert.match(broken.output, /^example: BROKEN\. Row 1/)
})

test('a CSV file with an error creates nothing', async () => {
  const env = await organization()
  const mistakes: [string[], RegExp][] = [
    [['name,mail', 'Cem,cem@example.com'], /needs a first line "email,full_name,role"/],
    [['email,full_name', 'cem@example.com,Cem', 'nobody,Dan'], /^Account 2 \(nobody\): Invalid email address/],
    [['email,full_name,role', 'cem@example.com,Cem,boss'], /^Account 1: the role must be one of owner, .*, not "boss"/],
    [['email,full_name', 'cem@example.com,Cem', 'CEM@example.com,Cem'], /CEM@example.com is listed twice/],
  ]
  for (const [lines, message] of mistakes) {
    const { code, output } = await runCommand(['user', 'create', '--from-csv', csv('bad.csv', ...lines)], { env })
    assert.equal(code, 1)
    assert.match(output, message)
  }
  assert.doesNotMatch((await runCommand(['user', 'list'], { env })).output, /cem@example.com/)
})

test('people are invited from a CSV file; without a mail server the links are printed', async () => {
  const env = { ...(await organization()), PUBLIC_URL: 'https://chat.example.com' }
  const file = csv('invitees.csv', 'email,role', 'kim@example.com,admin', 'lee@example.com,', 'olga@example.com,')
  const wrong = csv('wrong.csv', 'email', 'max@example.com', 'max@mailinator.com')

  const { output } = await runCommand(['invite', '--from-csv', file], { env })
  const refused = await runCommand(['invite', '--from-csv', wrong], { env })

  assert.match(output, /^kim@example.com,https:\/\/chat.example.com\/join\/[\w-]{43}$/m)
  assert.match(output, /^3 of 3 …\nInvited 2 people to Example\.\nSkipped olga@example.com: Already has an account/m)
  assert.equal(refused.code, 1)
  assert.match(refused.output, /no invitations were sent\.\nmax@mailinator\.com: Disposable/)
})

test('passwords are not accepted as arguments, which other users could read', async () => {
  const env = await organization()
  const create = ['user', 'create', 'eve@example.com', '--name', 'Eve']

  const given = await runCommand([...create, '--password', 'correct horse battery'], { env })
  const typed = await runCommand(create, { env, input: 'correct horse battery\n' })

  assert.match(given.output, /unknown option '--password'/)
  assert.equal(typed.output, 'Created the account eve@example.com (member) in Example.\n')
})

test('a password is reset and keys are revoked: each replaces the API key', async (t) => {
  const env = await organization()
  const client = new pg.Client({ connectionString: env.DATABASE_URL })
  await client.connect()
  t.after(() => client.end())
  const credentials = async () =>
    (await client.query(`select api_key_hash, password_hash from users where email = 'olga@example.com'`)).rows[0]
  const before = await credentials()

  const weak = await runCommand(['user', 'reset-password', 'olga@example.com'], { env, input: 'password' })
  const reset = await runCommand(['user', 'reset-password', 'olga@example.com'], { env, input: 'quite new a horse' })
  const afterReset = await credentials()
  await client.query(`insert into credentials (realm_id, user_id, kind, secret_hash, name, user_agent, ip_address)
    select realm_id, id, kind, sha256(kind::bytea), '', '', '' from users, (values ('session'), ('token')) kinds (kind)
     where email = 'olga@example.com'`)
  const listed = await runCommand(['user', 'list'], { env })
  const revoked = await runCommand(['user', 'revoke-keys', 'olga@example.com'], { env })
  const afterRevocation = await credentials()

  assert.match(weak.output, /^The password is too easy to guess/)
  assert.match(reset.output, /^olga@example.com has a new password in Example, and a new API key.$/m)
  assert.notEqual(afterReset.password_hash, before.password_hash)
  assert.notDeepEqual(afterReset.api_key_hash, before.api_key_hash)
  assert.match(listed.output, / olga@example.com .* 1$/m)
  assert.match(revoked.output, /^Revoked the API key, sessions and tokens of olga@example.com in Example/)
  assert.deepEqual((await client.query('select * from credentials')).rows, [])
  assert.equal(afterRevocation.password_hash, afterReset.password_hash)
  assert.notDeepEqual(afterRevocation.api_key_hash, afterReset.api_key_hash)
})

test('--version prints the version of Parley', async (t) => {
  assert.match((await runParley(t, ['--version'])).output, /^\d+\.\d+\.\d+\n$/)
})

test('an organization is deactivated and reactivated', async () => {
  const env = await organization()
  const { output } = await runCommand(['realm', 'deactivate'], { env })
  assert.equal(output, 'Example is deactivated.\n')
  assert.equal((await runCommand(['realm', 'reactivate'], { env })).output, 'Example is active again.\n')
})

test('a link to set a new password is printed for the user', async () => {
  const env = { ...(await organization()), PUBLIC_URL: 'https://chat.example.com' }
  const resetLink = ['user', 'reset-link', 'olga@example.com']
  const { code, output } = await runCommand(resetLink, { env })
  assert.equal(code, 0, output)
  assert.match(output, /\n {2}https:\/\/chat\.example\.com\/reset\/[\w-]{43}\n$/)
  const refused = await runCommand(resetLink, { env: { ...env, PUBLIC_URL: '' } })
  assert.deepEqual(refused, { code: 1, output: 'Set PUBLIC_URL, so that the links lead to your server.\n' })
})

test('the second factors of an owner who has lost them are removed', async (t) => {
  const env = await organization()
  const client = new pg.Client({ connectionString: env.DATABASE_URL })
  await client.connect()
  t.after(() => client.end())
  const reset = () => runCommand(['user', 'reset-second-factor', 'olga@example.com'], { env })
  assert.deepEqual(await reset(), { code: 1, output: 'This account has no second factor.\n' })
  await client.query(`insert into totp_factors (realm_id, user_id, secret_sealed, last_step)
    select realm_id, id, '', 0 from users where email = 'olga@example.com'`)
  assert.match((await reset()).output, /^Removed the second factors of olga@example.com in Example/)
  assert.deepEqual((await client.query('select * from totp_factors')).rows, [])
  const { rows } = await client.query(`select via from audit_log where action = 'second_factors_reset'`)
  assert.deepEqual(rows, [{ via: 'command' }])
})

test('a SCIM token is created, listed and revoked; the token itself is printed once and not stored', async (t) => {
  const env = await organization()
  const client = new pg.Client({ connectionString: env.DATABASE_URL })
  await client.connect()
  t.after(() => client.end())
  const scim = (...args: string[]) => runCommand(['scim', ...args], { env })
  const { output } = await scim('create-token', '--name', 'Entra')
  const [, token] = /^URL: {3}\S+\/scim\/v2\nToken: (parley_scim_[\w-]{43})\n/.exec(output)!
  const { rows } = await client.query('select id, secret_hash from scim_tokens')
  assert.deepEqual(rows[0].secret_hash, createHash('sha256').update(token!).digest())
  assert.match((await scim('list-tokens')).output, new RegExp(`\n${rows[0].id} +Entra +20.* -\n$`))
  assert.equal((await scim('revoke-token', String(rows[0].id))).code, 0)
  assert.deepEqual(await scim('revoke-token', '7777'), { code: 1, output: 'There is no such token.\n' })
  const { rows: audited } = await client.query(
    `select action, via from audit_log where action like 'scim%' order by id`,
  )
  const expected = ['scim_token_created', 'scim_token_revoked'].map((action) => ({ action, via: 'command' }))
  assert.deepEqual(audited, expected)
})

test('a command whose reader stops reading ends without an error', async () => {
  const main = join(import.meta.dirname, 'main.ts')
  const owner = ['--owner-email', 'olga@example.com', '--owner-name', 'Olga']
  const create = ['realm', 'create', '--name', 'Second', '--string-id', 'second', '--host', 'second.test', ...owner]
  const child = spawn(process.execPath, [main, ...create], { env: await organization(), stdio: 'pipe' })
  child.stdin.end('correct horse battery')
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk))
  child.stdout.destroy()

  assert.deepEqual(await once(child, 'close'), [0, null])
  assert.equal(errors, '')
})

test('a number of copies to keep is refused if it is none, or if no copy is made', async () => {
  for (const [keep, more] of [
    ['0', []],
    ['many', []],
    ['7', ['--follow']],
  ] as const) {
    const { code, output } = await runCommand(['backup', join(folder, 'kept'), '--keep', keep, ...more])
    assert.equal(code, 1)
    assert.match(output, /^--keep /)
  }
  assert.equal(existsSync(join(folder, 'kept')), false)
})
