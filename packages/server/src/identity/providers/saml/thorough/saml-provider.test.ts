import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { IdentityProvider, ServiceProvider, setSchemaValidator } from 'samlify'
import { noSignOn } from '../../../../config/sign-on-file.ts'
import { buildApp } from '../../../../http/app.ts'
import { browserTest, checkLook } from '../../../../testing/browser.ts'
import { newCertificate } from '../../../../testing/peers/certificate.ts'
import { newLoopback } from '../../../../testing/peers/loopback.ts'

const { ctx, ann } = await newLoopback()
const { key, certificate } = newCertificate()
setSchemaValidator({ validate: async () => 'fine' })

const signOn = { ...noSignOn, saml: [] as (typeof noSignOn)['saml'] }
const app = buildApp({ ...ctx, config: { ...ctx.config, signOn } })
await app.listen({ port: 0, host: '127.0.0.1' })
after(() => app.close())
const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

/** A page that posts a message to us by itself. */
const form = (action: string, name: string, message: string) =>
  `<form method="post" action="${action}"><input name="${name}" value="${message}"></form><script>document.forms[0].submit()</script>`

/** An independent implementation of SAML, at which everybody is Ann. On another site than ours, as in reality. */
async function startProvider(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  after(() => server.close())
  const own = `http://localhost:${(server.address() as AddressInfo).port}`
  const binding = (Location: string) => ({ Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location })
  const provider = IdentityProvider({
    entityID: own,
    privateKey: key,
    signingCert: certificate,
    isAssertionEncrypted: false,
    nameIDFormat: ['urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'],
    wantAuthnRequestsSigned: false,
    singleSignOnService: [binding(`${own}/sso`)],
    singleLogoutService: [binding(`${own}/logout`)],
    messageSigningOrder: 'encrypt-then-sign',
    wantLogoutRequestSigned: false,
  })
  server.on('request', (request, response) => {
    const query = Object.fromEntries(new URL(request.url!, own).searchParams)
    void answer(request.url!, query).then((page) => response.setHeader('content-type', 'text/html').end(page))
  })
  const answer = async (path: string, query: Record<string, string>): Promise<string> => {
    const metadata = await (await fetch(`${url}/login/saml/acme/metadata`)).text()
    const client = ServiceProvider({ metadata })
    if (path.startsWith('/logout')) {
      const message = await provider.parseLogoutRequest(client, 'redirect', { query })
      const { context } = provider.createLogoutResponse(client, { ...message }, 'post')
      return form(`${url}/login/saml/acme/logout`, 'SAMLResponse', context)
    }
    const message = await provider.parseLoginRequest(client, 'redirect', { query })
    const { context } = await provider.createLoginResponse(client, { ...message }, 'post', {
      email: ann.credentials.email,
    })
    return form(`${url}/login/saml/acme/acs`, 'SAMLResponse', context)
  }
  return own
}

const own = await startProvider()
signOn.saml.push({
  id: 'acme',
  name: 'Acme',
  entity_id: own,
  sso_url: `${own}/sso`,
  logout_url: `${own}/logout`,
  certificates: [certificate],
})

browserTest('a user signs in and out with samlify', async (open) => {
  const page = await open(`${url}/login`)
  await checkLook(page, 'login-saml')
  await page.click('text="Sign in with Acme"')
  await page.waitForURL(`${url}/`)
  await page.goto(`${url}/sessions`)
  assert.match((await page.textContent('h1'))!, /signed in as ann/)
  await page.click('text="Sign out"')
  await page.waitForSelector('text="You are signed out here"')
  await checkLook(page, 'signed-out-saml')
  await page.click('text="Sign out there too"')
  await page.waitForURL(`${url}/login`)
})
