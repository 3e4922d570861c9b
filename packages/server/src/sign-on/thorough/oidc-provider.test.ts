import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { Provider } from 'oidc-provider'
import { noSignOn } from '../../boot/sign-on-file.ts'
import { buildApp } from '../../http/app.ts'
import { browserTest, checkLook } from '../../testing/browser.ts'
import { newLoopback } from '../../testing/loopback.ts'

const { ctx, ann } = await newLoopback()

/** An independent implementation of OpenID Connect, at which everybody is Ann. */
async function startProvider(redirectUri: string): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const person = { sub: 'ann', email: ann.credentials.email, email_verified: true, name: 'Ann' }
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'parley', client_secret: 'a secret for tests', redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/sign-in/${uid}` },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => person }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    pkce: { required: () => true },
    cookies: { keys: ['a key for tests'] },
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (!request.url!.startsWith('/sign-in/')) return void answer(request, response)
    void provider.interactionFinished(request, response, { login: { accountId: 'ann' } })
  })
  return issuer
}

const signOn = { ...noSignOn, oidc: [] as (typeof noSignOn)['oidc'] }
const app = buildApp({ ...ctx, config: { ...ctx.config, signOn } })
await app.listen({ port: 0, host: '127.0.0.1' })
after(() => app.close())
const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
const issuer = await startProvider(`${url}/login/oidc/acme/callback`)
const client = { client_id: 'parley', client_secret: 'a secret for tests' }
signOn.oidc.push({ id: 'acme', name: 'Acme', issuer, ...client })

browserTest('a user signs in with oidc-provider', async (open) => {
  const page = await open(`${url}/login`)
  await checkLook(page, 'login-oidc')
  await page.click('text="Sign in with Acme"')
  await page.waitForURL(`${url}/`)
  await page.goto(`${url}/sessions`)
  assert.match((await page.textContent('h1'))!, /signed in as ann/)
})
