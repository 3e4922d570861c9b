import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sealedColumns } from '../../operation/secrets/sealed-columns.ts'
import { query, tempFolder } from '../../platform/postgres/test-support.ts'
import { rereadSecretFile, type Secrets } from '../../platform/secret-file.ts'
import { Vault } from '../../platform/secrets.ts'
import { runCommand } from '../../testing/command.ts'
import { createDatabase } from '../../testing/world.ts'

const folder = tempFolder({ after })

/** A database with an organization, whose key is in a file. */
async function newOrganization() {
  const env = { DATABASE_URL: await createDatabase(), DATA_DIR: mkdtempSync(join(folder, 'data-')) }
  const run = async (...args: string[]) => runCommand(args, { env, input: 'correct horse battery' })
  const owner = ['--owner-email', 'olga@example.com', '--owner-name', 'Olga']
  await run('realm', 'create', '--name', 'Example', '--string-id', 'example', ...owner)
  const file = join(env.DATA_DIR, 'secret.key')
  const keys = () => readFileSync(file, 'utf8').trim().split('\n') as Secrets
  const sealed = async () =>
    (await query(env.DATABASE_URL, 'select api_key_sealed as it from users order by id'))[0]!.it
  return { env, run, file, keys, sealed: sealed as () => Promise<Buffer> }
}

test('all sealed columns are listed', async () => {
  const columns = await query(
    await createDatabase(),
    `select table_name || '.' || column_name as name from information_schema.columns where column_name like '%\\_sealed'`,
  )
  const listed = sealedColumns.map(({ table, column }) => `${table}.${column}`)
  assert.deepEqual(columns.map(({ name }) => name as string).toSorted(), listed.toSorted())
})

test('everything is sealed with a new key, while a server with the old one keeps reading', async () => {
  const { env, run, file, keys, sealed } = await newOrganization()
  const before = keys()
  const server = new Vault(before, () => rereadSecretFile(env.DATA_DIR, before))
  const apiKey = server.open(await sealed())

  const { code, output } = await run('secret', 'rotate')

  assert.equal(code, 0, output)
  assert.match(output, /^Sealed \d values with the new key\.\nBack up now/)
  assert.deepEqual(keys().slice(1), before)
  assert.equal(new Vault(keys()[0]).open(await sealed()), apiKey)
  assert.equal(server.open(await sealed()), apiKey)
  assert.match((await run('secret', 'remove-old')).output, /^Servers may still seal with the old key: repeat/)
  utimesSync(file, 0, 0)
  assert.match((await run('secret', 'remove-old')).output, /Removed the old key/)
  assert.equal(keys().length, 1)
  assert.equal((await run('secret', 'remove-old')).output, 'There is no old key.\n')
})

test('a key of the environment is rotated once both keys are set', async () => {
  const { env, run, keys, sealed } = await newOrganization()
  const [OLD_SECRET_KEYS] = keys()
  const SECRET_KEY = 'another secret only for this test'
  const rotate = (more: Record<string, string>) => runCommand(['secret', 'rotate'], { env: { ...env, ...more } })

  assert.match((await run('secret', 'rotate')).output, /Sealed/)
  assert.match((await rotate({ SECRET_KEY })).output, /^SECRET_KEY is set: set it to a new key and OLD_SECRET_KEYS/)
  assert.match((await rotate({ OLD_SECRET_KEYS })).output, /^OLD_SECRET_KEYS needs SECRET_KEY/)
  const both = await rotate({ SECRET_KEY, OLD_SECRET_KEYS: `${OLD_SECRET_KEYS},${keys()[0]}` })
  assert.match(both.output, /^Sealed \d values/)
  assert.ok(new Vault(SECRET_KEY).isCurrent(await sealed()))
})

test('after the loss of the key, what is lost is listed and replaced', async () => {
  const { env, run, file, keys, sealed } = await newOrganization()
  await query(
    env.DATABASE_URL,
    `insert into totp_factors (realm_id, user_id, secret_sealed, last_step)
      select realm_id, id, api_key_sealed, 0 from users where email = 'olga@example.com'`,
  )
  await query(
    env.DATABASE_URL,
    `insert into hooks (realm_id, bot_id, integration, name, token_hash, token_sealed, secret_sealed)
      select realm_id, id, 'json', 'Builds', 'hash', api_key_sealed, api_key_sealed from users
       where email = 'olga@example.com'`,
  )
  assert.match((await run('secret', 'replace')).output, /^Nothing is lost/)
  rmSync(file)

  const refused = await run('user', 'create', 'ann@example.com', '--name', 'Ann')
  const listed = await run('secret', 'replace')
  const replaced = await run('secret', 'replace', '--yes')

  assert.match(refused.output, /sealed with another secret.*If it is lost: "parley secret replace"/)
  assert.equal(listed.code, 1)
  assert.match(
    listed.output,
    /^Lost: \d API keys\nLost: 1 URLs of incoming hooks\nLost: 1 secrets of incoming hooks\nLost: 1 authenticator apps\nIf you have the old key/,
  )
  assert.match(replaced.output, /Replaced\. Restart every server/)
  assert.match(new Vault(keys()).open(await sealed()), /^\w{32}$/)
  assert.deepEqual(await query(env.DATABASE_URL, 'select * from totp_factors'), [])
  assert.deepEqual(await query(env.DATABASE_URL, 'select is_enabled, token_sealed, secret_sealed from hooks'), [
    { is_enabled: false, token_sealed: null, secret_sealed: null },
  ])
  assert.equal((await run('user', 'create', 'ann@example.com', '--name', 'Ann')).code, 0)
})
