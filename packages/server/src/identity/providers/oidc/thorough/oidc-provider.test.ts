import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after } from 'node:test'
import { noSignOn } from '../../../../config/sign-on-file.ts'
import { buildApp } from '../../../../http/app.ts'
import { tempFolder } from '../../../../platform/postgres/test-support.ts'
import { browserTest, checkLook } from '../../../../testing/browser.ts'
import { runCommand } from '../../../../testing/command.ts'
import { newLoopback } from '../../../../testing/peers/loopback.ts'
import { startOidcProvider } from '../../../../testing/peers/start-oidc-provider.ts'
import { startParley } from '../../../../testing/program.ts'
import { createDatabase } from '../../../../testing/world.ts'

const { ctx, ann } = await newLoopback()
const signOn: typeof ctx.config.signOn = { ...noSignOn, oidc: [] }
const app = buildApp({ ...ctx, config: { ...ctx.config, signOn } })
await app.listen({ port: 0, host: '127.0.0.1' })
after(() => app.close())
const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
const atProvider = { sub: 'ann', email: ann.credentials.email, email_verified: true, name: 'Ann' }
const provider = await startOidcProvider(atProvider)
provider.register(`${url}/login/oidc/acme/callback`)
signOn.oidc.push({ id: 'acme', name: 'Acme', issuer: provider.issuer, ...provider.client })

browserTest('a user signs in with oidc-provider', async (open) => {
  const page = await open(`${url}/login`)
  await checkLook(page, 'login-oidc')
  await page.click('text="Sign in with Acme"')
  await page.waitForURL(`${url}/`)
  await page.goto(`${url}/sessions`)
  assert.match((await page.textContent('h1'))!, /signed in as ann/)
})

// Of the file, because hooks that are added in a test do not always run.
const scope = { after }
const folder = tempFolder(scope)
const nora = { sub: 'n-1', email: 'nora@example.com', email_verified: true, name: 'Nora Lind' }
const keycloak = await startOidcProvider({ ...nora, groups: ['engineering', 'others'] })

/** The example of the docs, with the issuer and the secret filled in. */
async function exampleFile(values: object): Promise<string> {
  const docs = await readFile(join(import.meta.dirname, '../../../../../../../docs/single-sign-on.md'), 'utf8')
  const example = JSON.parse(/```json\n(.*?)```/s.exec(docs)![1]!)
  Object.assign(example.oidc[0], values)
  const file = join(folder, 'sign-on.json')
  await writeFile(file, JSON.stringify(example), { mode: 0o600 })
  return file
}

const password = 'correct horse battery'

async function newOrganization(): Promise<Record<string, string>> {
  const env = { DATABASE_URL: await createDatabase(), SECRET_KEY: 'a secret only for the tests of Parley' }
  const owner = ['--owner-email', 'olga@example.com', '--owner-name', 'Olga']
  const create = ['realm', 'create', '--name', 'Example', '--string-id', 'example', ...owner]
  const { code, output } = await runCommand(create, { env, input: password })
  assert.equal(code, 0, output)
  return env
}

/** Calls the API of a server as its owner. */
async function asOwner(url: string) {
  const call = async (path: string, form?: Record<string, string>, headers: Record<string, string> = {}) => {
    const sent = form ? { method: 'POST', body: new URLSearchParams(form), headers } : { headers }
    return (await fetch(`${url}/api/v1${path}`, sent)).json()
  }
  const { api_key } = await call('/fetch_api_key', { username: 'olga@example.com', password })
  const authorization = `Basic ${Buffer.from(`olga@example.com:${api_key}`).toString('base64')}`
  return (path: string, form?: Record<string, string>) => call(path, form, { authorization })
}

browserTest('the walk-through of the docs works as it is written, on a server of its own', async (open) => {
  const SIGN_ON_FILE = await exampleFile({ issuer: keycloak.issuer, ...keycloak.client })
  const { url } = await startParley(scope, [], { env: { ...(await newOrganization()), SIGN_ON_FILE } })
  keycloak.register(`${url}/login/oidc/acme/callback`)
  const owner = await asOwner(url)
  await owner('/user_groups/create', { name: 'Engineers', description: '', members: '[]' })

  const page = await open(`${url}/login`)
  await checkLook(page, 'login-walk-through')
  await page.click('text="Sign in with Acme"')
  await page.waitForURL(`${url}/sessions`)
  await checkLook(page, 'signed-in-walk-through')
  assert.match((await page.textContent('h1'))!, /signed in as Nora Lind/)

  const { members } = await owner('/users')
  const { user_id } = members.find(({ full_name }: { full_name: string }) => full_name === 'Nora Lind')
  const { user_groups } = await owner('/user_groups')
  const group = user_groups.find(({ name }: { name: string }) => name === 'Engineers')
  assert.deepEqual(group.members, [user_id])
})
