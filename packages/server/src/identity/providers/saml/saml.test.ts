import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { createUserGroup, getUserGroups } from '@parley/api/organization/groups'
import { noSignOn } from '../../../config/sign-on-file.ts'
import type { Config } from '../../../config.ts'
import { buildApp } from '../../../http/app.ts'
import { many } from '../../../platform/db/query.ts'
import { appUrlIn, FormBrowser } from '../../../testing/forms.ts'
import * as idp from '../../../testing/peers/hostile-saml.ts'
import { newWorld } from '../../../testing/world.ts'

const world = await newWorld()
const { ctx, host, ann, ben, olga, realmId } = world
const acme = {
  id: 'acme',
  name: 'Acme',
  entity_id: idp.issuer,
  sso_url: 'https://id.acme.test/sso',
  logout_url: 'https://id.acme.test/logout',
  certificates: [idp.newKeys().publicKey, idp.keys.publicKey],
}
const saml: Config['signOn']['saml'] = [
  acme,
  { ...acme, id: 'open', create_users: true, groups: { engineers: 'makers' } },
  { ...acme, id: 'strict', link_by_email: false },
  { ...acme, id: 'ours', email_domains: ['acme.test'] },
  { ...acme, id: 'signing', private_key: idp.keys.privateKey },
  { ...acme, id: 'away', realm: 'x' },
]
const app = buildApp({ ...ctx, config: { ...ctx.config, signOn: { ...noSignOn, saml } } })
after(() => app.close())

interface Visit {
  id?: string
  /** Changes what the assertion says. */
  say?: Partial<idp.Statement>
  /** Changes the whole answer. */
  answer?: (say: idp.Statement) => string
  query?: string
  /** The browser does not follow to the page that signs in. */
  isLeft?: boolean
}

const providerPage = { origin: 'https://id.acme.test', 'sec-fetch-site': 'cross-site' }

/** Goes to the provider and comes back with its answer, which the page of the provider posts without our cookies. */
async function visit(email: string, { id = 'acme', say = {}, answer, query = '', isLeft }: Visit = {}) {
  const browser = new FormBrowser({ app, host })
  const start = await browser.open(`/login/saml/${id}${query}`)
  assert.equal(start.statusCode, 303, start.body)
  const acsUrl = `http://${host}/login/saml/${id}/acs`
  const full = { ...idp.statementFor(String(start.headers.location), acsUrl, email), ...say }
  const xml = answer?.(full) ?? idp.honest(full)
  const posted = await post(id, xml)
  const next = String(posted.headers.location)
  const { cookie } = browser
  const done = posted.statusCode === 303 && !isLeft ? await browser.open(next) : posted
  return { browser, cookie, xml, next, done }
}

function post(id: string, xml: string) {
  return new FormBrowser({ app, host }).post(`/login/saml/${id}/acs`, { SAMLResponse: idp.encode(xml) }, providerPage)
}

async function isSignedInAs(browser: FormBrowser, name: string) {
  assert.match((await browser.open('/sessions')).body, new RegExp(`signed in as ${name}`))
}

test('an existing user signs in and is linked by the email, and then by the id at the provider', async () => {
  const { browser, done } = await visit(ann.credentials.email)
  assert.equal(done.headers.location, '/', done.body)
  await isSignedInAs(browser, 'Ann')
  const renamed = await visit('new@acme.test', { say: { nameId: `id of ${ann.credentials.email}` } })
  await isSignedInAs(renamed.browser, 'Ann')
  const other = await visit(ann.credentials.email, { say: { nameId: 'another' } })
  assert.match(other.done.body, /linked with another person/)
  const rows = await many<{ method: string }>(ctx.db)`
    select target ->> 'method' as method from audit_log where realm_id = ${realmId} and action = 'signed_in'
       and target ->> 'user_id' = ${String(ann.id)}`
  assert.deepEqual(rows, [{ method: 'saml' }, { method: 'saml' }])
})

test('a new person gets an account only where the operator allows it', async () => {
  assert.match((await visit('nora@acme.test')).done.body, /no account/)
  await isSignedInAs((await visit('nora@acme.test', { id: 'open' })).browser, 'Someone')
})

test('an email opens no account where it must not', async () => {
  assert.match((await visit(ben.credentials.email, { id: 'strict' })).done.body, /not linked with Acme/)
  assert.match((await visit(ben.credentials.email, { id: 'ours' })).done.body, /not confirmed/)
  assert.match((await visit('', { say: { attributes: {} } })).done.body, /did not send your email/)
})

test('a signature around the whole answer is fine too', async () => {
  const { browser } = await visit(ben.credentials.email, { answer: (say) => idp.sign(idp.honest(say), 'Response') })
  await isSignedInAs(browser, 'Ben')
})

test('a deactivated user stays out', async () => {
  const user = await world.add('dora')
  await visit(user.credentials.email)
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', user.id).execute()
  const { done, browser } = await visit(user.credentials.email)
  assert.equal(done.statusCode, 401)
  assert.equal((await browser.open('/sessions')).headers.location, '/login')
})

test('mapped groups follow the provider', async () => {
  const user = await world.add('fay')
  await olga.does(createUserGroup, { name: 'makers', description: '', members: [] })
  const members = async () =>
    (await olga.does(getUserGroups)).user_groups.find(({ name }) => name === 'makers')!.members
  const attributes = { email: user.credentials.email, groups: ['engineers', 'others'] }
  await visit(user.credentials.email, { id: 'open', say: { attributes } })
  assert.deepEqual(await members(), [user.id])
  await visit(user.credentials.email, { id: 'open', say: { attributes: { ...attributes, groups: ['others'] } } })
  assert.deepEqual(await members(), [])
})

test('an app gets the API key, encrypted with its one-time pad, and the browser no session', async () => {
  const { done, browser } = await visit(ben.credentials.email, { query: `?mobile_flow_otp=${'ab'.repeat(32)}` })
  assert.equal(done.headers.location, undefined, 'the person is asked first')
  const url = appUrlIn(done.body)
  const key = Buffer.from(url.searchParams.get('otp_encrypted_api_key')!, 'hex').map((byte) => byte ^ 0xab)
  assert.equal(Buffer.from(key).toString(), ben.credentials.key)
  assert.equal((await browser.open('/sessions')).headers.location, '/login')
})

test('an answer signs in once, and only the browser that asked for it', async () => {
  const { browser, next, done, xml } = await visit(ben.credentials.email)
  assert.equal(done.statusCode, 303)
  assert.equal((await browser.open(next)).statusCode, 401)
  const again = await post('acme', xml)
  assert.equal((await browser.open(String(again.headers.location))).statusCode, 401)
  const stranger = new FormBrowser({ app, host })
  await stranger.open('/login/saml/acme')
  assert.equal((await stranger.open(String(again.headers.location))).statusCode, 401)
})

test('of two concurrent uses of one answer, one signs in', async () => {
  const { next, cookie } = await visit(ben.credentials.email, { isLeft: true })
  const use = () => app.inject({ url: next, headers: { host, cookie, accept: 'text/html' } })
  const codes = (await Promise.all([use(), use()])).map(({ statusCode }) => statusCode)
  assert.deepEqual(codes.sort(), [303, 401])
})

const changed = (change: (xml: string) => string) => (say: idp.Statement) => change(idp.honest(say))
const signedWith = (signing: Parameters<typeof idp.sign>[2]) => (say: idp.Statement) =>
  idp.responseOf(say, idp.sign(idp.assertionOf(say), 'Assertion', signing))
const evil = (say: idp.Statement) =>
  idp.assertionOf({ ...say, nameId: 'evil', attributes: { email: olga.credentials.email } })
const signed = (say: idp.Statement) => idp.sign(idp.assertionOf(say), 'Assertion')
const signatureOf = (xml: string) => /<(?:ds:)?Signature\b.*<\/(?:ds:)?Signature>/s.exec(xml)![0]
const idOf = (xml: string) => / ID="([^"]+)"/.exec(xml)![1]!
const other = idp.newKeys()
const dsig = 'http://www.w3.org/2000/09/xmldsig#'

const hostile: Record<string, Visit> = {
  'for another audience': { say: { audience: 'https://elsewhere.test' } },
  'of another issuer': { say: { issuer: 'https://evil.test' } },
  'for another recipient': {
    answer: (say) => idp.responseOf(say, signed({ ...say, acsUrl: 'https://elsewhere.test/acs' })),
  },
  'for another destination': { answer: (say) => idp.responseOf(say, signed(say), 'https://elsewhere.test/acs') },
  'that has expired': { say: { to: -10 } },
  'whose confirmation has expired': { say: { confirmedTo: -10 } },
  'that is not valid yet': { say: { from: 10, to: 20 } },
  'that was issued long ago': { say: { issued: -60 } },
  'to another request': { say: { requestId: '_another' } },
  'to no request': { say: { requestId: '' } },
  'with another kind of confirmation': { say: { method: 'sender-vouches' } },
  'with an id that changes': { say: { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' } },
  'without a NameID': { say: { nameId: '' } },
  'without an assertion': { answer: (say) => idp.responseOf(say, '') },
  'without an assertion, although it is signed': { answer: (say) => idp.sign(idp.responseOf(say, ''), 'Response') },
  'without a signature': { answer: (say) => idp.responseOf(say, idp.assertionOf(say)) },
  'with a signature of the answer only': {
    answer: (say) => idp.sign(idp.responseOf(say, idp.assertionOf(say)), 'Response'),
  },
  'signed by another key': { answer: signedWith({ key: other.privateKey }) },
  'signed by another key that it brings along': {
    answer: signedWith({ key: other.privateKey, keyInfo: `<KeyValue>${other.publicKey}</KeyValue>` }),
  },
  'signed with SHA-1': { answer: signedWith({ algorithm: `${dsig}rsa-sha1` }) },
  'with a SHA-1 digest': { answer: signedWith({ digest: `${dsig}sha1` }) },
  'signed with the public key as a secret': {
    answer: signedWith({ key: idp.keys.publicKey, algorithm: `${dsig}hmac-sha1`, isHmac: true }),
  },
  'with a changed email': { answer: changed((xml) => xml.replace(ben.credentials.email, olga.credentials.email)) },
  'with a changed digest': { answer: changed((xml) => xml.replace(/DigestValue>./, 'DigestValue>A')) },
  'with a comment in the NameID': { answer: changed((xml) => xml.replace('>id of ', '><!-- x -->id of ')) },
  'with a comment that cuts the email': {
    say: { attributes: { email: `${olga.credentials.email}.evil.test` } },
    answer: changed((xml) => xml.replace('.evil.test', '<!---->.evil.test')),
  },
  'with an entity': {
    answer: changed((xml) => `<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml.replace('>id of ', '>&e;')}`),
  },
  'with entities that grow': {
    answer: changed((xml) => `<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${xml.replace('>id of ', '>&b;')}`),
  },
  'with an instruction': { answer: changed((xml) => xml.replace('>id of ', '><?x y?>id of ')) },
  'that is not XML': { answer: () => 'hello' },
  'that is longer than any answer': { answer: changed((xml) => xml + ' '.repeat(300_000)) },
  'with a second assertion before the signed one': { answer: (say) => idp.responseOf(say, evil(say) + signed(say)) },
  'with a second assertion after the signed one': { answer: (say) => idp.responseOf(say, signed(say) + evil(say)) },
  'whose signed assertion is inside of another one': {
    answer: (say) =>
      idp.responseOf(say, evil(say).replace('</saml:Assertion>', `<x>${signed(say)}</x></saml:Assertion>`)),
  },
  'with the signature moved to another assertion': {
    answer: (say) => {
      const real = signed(say)
      const moved = evil(say).replace('</saml:Issuer>', `</saml:Issuer>${signatureOf(real)}`)
      return idp.responseOf(say, `${moved}<x>${real.replace(signatureOf(real), '')}</x>`)
    },
  },
  'with the signed assertion inside of a moved signature': {
    answer: (say) => {
      const real = signed(say)
      const bare = real.replace(signatureOf(real), '')
      const holder = signatureOf(real).replace(
        /(<\/(?:ds:)?Signature>)$/,
        `<ds:Object xmlns:ds="${dsig}">${bare}</ds:Object>$1`,
      )
      return idp.responseOf(say, evil(say).replace('</saml:Issuer>', `</saml:Issuer>${holder}`))
    },
  },
  'with two elements of the same ID': {
    answer: (say) => {
      const real = signed(say)
      const twin = evil(say).replace(/ ID="[^"]+"/, ` ID="${idOf(real)}"`)
      return idp
        .responseOf(say, twin.replace('</saml:Issuer>', `</saml:Issuer>${signatureOf(real)}`))
        .replace('</samlp:Response>', `<x>${real}</x></samlp:Response>`)
    },
  },
  'in a signed extension of the answer': {
    answer: (say) => {
      const real = signed(say)
      return idp
        .responseOf(say, evil(say))
        .replace('<samlp:Status>', `<samlp:Extensions>${real}</samlp:Extensions><samlp:Status>`)
    },
  },
  'with two signatures': {
    answer: (say) => {
      const real = signed(say)
      return idp.responseOf(say, real.replace('</saml:Issuer>', `</saml:Issuer>${signatureOf(real)}`))
    },
  },
}
for (const [name, how] of Object.entries(hostile))
  test(`an answer ${name} signs nobody in`, async () => {
    const { done, browser } = await visit(ben.credentials.email, how)
    assert.equal(done.statusCode, 401, done.body)
    assert.equal((await browser.open('/sessions')).headers.location, '/login')
  })

test('an answer for one provider or organization does not work at another', async () => {
  for (const url of [`http://${host}/login/saml/acme`, 'http://x.test/login/saml/strict']) {
    const meant = { acsUrl: `${url}/acs`, audience: `${url}/metadata` }
    const answer = (say: idp.Statement) => idp.responseOf(say, signed({ ...say, ...meant }))
    assert.equal((await visit(ben.credentials.email, { id: 'strict', answer })).done.statusCode, 401)
  }
  assert.equal((await new FormBrowser({ app, host }).open('/login/saml/away')).statusCode, 404)
})

test('where to go next is not taken from the answer', async () => {
  const { browser } = await visit(ben.credentials.email)
  const start = await browser.open('/login/saml/acme')
  assert.equal(new URL(String(start.headers.location)).searchParams.has('RelayState'), false)
  const path = '/login/saml/acme/callback?answer=x&RelayState=https://evil.test'
  assert.equal((await browser.open(path)).statusCode, 401)
})

test('pages of other sites can post to no other page', async () => {
  const answer = await new FormBrowser({ app, host }).post('/login', { email: 'a@b.test', password: 'x' }, providerPage)
  assert.equal(answer.statusCode, 403)
})

const logoutPath = '/login/saml/acme/logout'
const postLogout = (xml: string) =>
  new FormBrowser({ app, host }).post(logoutPath, { SAMLRequest: idp.encode(xml) }, providerPage)
const logoutOf = (email: string, how: Partial<idp.Logout> = {}) =>
  idp.logoutRequestOf(`id of ${email}`, { destination: `http://${host}${logoutPath}`, ...how })
const signedLogout = (email: string, how?: Partial<idp.Logout>) => idp.sign(logoutOf(email, how), 'LogoutRequest')
const deflated = (xml: string) => encodeURIComponent(deflateRawSync(Buffer.from(xml)).toString('base64'))

test('a request of the provider ends the session that it names', async () => {
  const email = ben.credentials.email
  const [one, two] = [await visit(email), await visit(email, { say: { sessionIndex: '_s2' } })]
  const answer = await postLogout(signedLogout(email, { sessionIndex: '_s2' }))
  assert.match(String(answer.headers.location), /^https:\/\/id\.acme\.test\/logout\?SAMLResponse=/, answer.body)
  assert.equal((await two.browser.open('/sessions')).headers.location, '/login')
  await isSignedInAs(one.browser, 'Ben')
  const query = idp.signQuery(`SAMLRequest=${deflated(logoutOf(email))}&RelayState=its%20own`)
  const byUrl = await new FormBrowser({ app, host }).open(`${logoutPath}?${query}`)
  assert.equal(new URL(String(byUrl.headers.location)).searchParams.get('RelayState'), 'its own')
  assert.equal((await one.browser.open('/sessions')).headers.location, '/login')
})

test('logout requests that the provider has not signed end nothing', async () => {
  const email = ben.credentials.email
  const { browser } = await visit(email)
  const xml = logoutOf(email)
  const late = logoutOf(email, { to: -10 })
  const real = idp.signQuery(`SAMLRequest=${deflated(logoutOf('someone else'))}`)
  const posts = [xml, idp.sign(xml, 'LogoutRequest', { key: other.privateKey }), idp.sign(late, 'LogoutRequest')]
  for (const one of posts) assert.equal((await postLogout(one)).statusCode, 401)
  const queries = [
    `SAMLRequest=${deflated(xml)}`,
    idp.signQuery(`SAMLRequest=${deflated(xml)}`, other.privateKey),
    idp.signQuery(`SAMLRequest=${deflated(xml)}`, idp.keys.privateKey, 'rsa-sha1'),
    `${real}&SAMLRequest=${deflated(xml)}`,
    `x${real}&SAMLRequest=${deflated(xml)}`,
  ]
  for (const query of queries)
    assert.equal((await new FormBrowser({ app, host }).open(`${logoutPath}?${query}`)).statusCode, 401)
  await isSignedInAs(browser, 'Ben')
})

test('a logout request works once, within five minutes, and at the URL that it names', async () => {
  const email = ben.credentials.email
  const byUrl = (xml: string) =>
    new FormBrowser({ app, host }).open(`${logoutPath}?${idp.signQuery(`SAMLRequest=${deflated(xml)}`)}`)
  const used = { posted: signedLogout(email), inUrl: logoutOf(email) }
  assert.equal((await postLogout(used.posted)).statusCode, 303)
  assert.equal((await byUrl(used.inUrl)).statusCode, 303)

  const { browser } = await visit(email)
  const elsewhere = { destination: `http://${host}/login/saml/strict/logout` }
  for (const how of [elsewhere, { destination: '' }, { issued: -6 }, { issued: 2 }]) {
    assert.equal((await postLogout(signedLogout(email, how))).statusCode, 401)
    assert.equal((await byUrl(logoutOf(email, how))).statusCode, 401)
  }
  assert.equal((await postLogout(used.posted)).statusCode, 401)
  assert.equal((await byUrl(used.inUrl)).statusCode, 401)
  await isSignedInAs(browser, 'Ben')
})

test('after signing out here, the browser is led to sign out at the provider', async () => {
  const { browser } = await visit(ben.credentials.email)
  const page = await browser.post('/logout', {})
  const [, url] = /href="(https:\/\/id\.acme\.test\/logout[^"]*)"/.exec(page.body) ?? []
  const { xml } = idp.requestIn(url!.replaceAll('&amp;', '&'))
  assert.match(xml, new RegExp(`LogoutRequest.*id of ${ben.credentials.email}.*_s1`, 's'))
  assert.equal((await browser.open('/sessions')).headers.location, '/login')
  assert.equal((await browser.open(`${logoutPath}?SAMLResponse=x`)).headers.location, '/login')
})

test('the API tells clients where to sign out at the provider', async () => {
  const { browser } = await visit(ben.credentials.email)
  const headers = { host, cookie: browser.cookie, origin: `http://${host}`, 'parley-client': 'web' }
  const answer = await app.inject({ method: 'DELETE', url: '/api/v1/sessions/current', headers })
  assert.match(answer.json().logout_url, /^https:\/\/id\.acme\.test\/logout\?SAMLRequest=/)
})

test('requests are signed if the provider has a key of ours', async () => {
  const start = await new FormBrowser({ app, host }).open('/login/saml/signing')
  const { searchParams } = new URL(String(start.headers.location))
  assert.match(searchParams.get('SigAlg')!, /rsa-sha256$/)
})

test('the metadata names our URLs', async () => {
  const { body, headers } = await app.inject({ url: '/login/saml/acme/metadata', headers: { host } })
  assert.match(String(headers['content-type']), /samlmetadata\+xml/)
  for (const part of ['metadata', 'acs', 'logout'])
    assert.ok(body.includes(`http://${host}/login/saml/acme/${part}"`), part)
})

test('the sign-in page and server_settings list the provider', async () => {
  assert.match((await new FormBrowser({ app, host }).open('/login')).body, /href="\/login\/saml\/acme"/)
  const body = (await app.inject({ url: '/api/v1/server_settings', headers: { host } })).json()
  assert.equal(body.authentication_methods.saml, true)
  assert.equal(body.external_authentication_methods[0].name, 'saml:acme')
})
