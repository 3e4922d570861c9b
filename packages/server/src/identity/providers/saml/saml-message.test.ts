import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { noSignOn } from '../../../config/sign-on-file.ts'
import { buildApp } from '../../../http/app.ts'
import { FormBrowser } from '../../../testing/forms.ts'
import { assertCheap } from '../../../testing/load/cpu-time.ts'
import * as idp from '../../../testing/peers/hostile-saml.ts'
import { newWorld } from '../../../testing/world.ts'
import { postedMessage } from './saml-message.ts'

const { ctx, host } = await newWorld()
const acme = {
  id: 'acme',
  name: 'Acme',
  entity_id: idp.issuer,
  sso_url: 'https://id.acme.test/sso',
  logout_url: 'https://id.acme.test/logout',
  certificates: [idp.keys.publicKey],
}
const app = buildApp({ ...ctx, config: { ...ctx.config, signOn: { ...noSignOn, saml: [acme] } } })
after(() => app.close())

const acsUrl = `http://${host}/login/saml/acme/acs`
const logoutUrl = `http://${host}/login/saml/acme/logout`
const request = { requestId: '_x', acsUrl }

/** Unsigned messages, as anybody can send them. */
const kinds = {
  acs: {
    field: 'SAMLResponse',
    message: (more: string, inTag = '') =>
      idp.responseOf(request, more).replace('<samlp:Response', `<samlp:Response${inTag}`),
  },
  logout: {
    field: 'SAMLRequest',
    message: (more: string, inTag = '') =>
      idp
        .logoutRequestOf('someone', { destination: logoutUrl })
        .replace('<samlp:LogoutRequest', `<samlp:LogoutRequest${inTag}`)
        .replace('</samlp:LogoutRequest>', `${more}</samlp:LogoutRequest>`),
  },
}

const costly: Record<string, [more: string, inTag?: string]> = {
  'many empty elements': ['<a/>'.repeat(60_000)],
  'many elements inside each other': ['<a>'.repeat(30_000) + '</a>'.repeat(30_000)],
  'many ends of elements': [`${'<a>'.repeat(20)}${'</a>'.repeat(60_000)}`],
  'many broken ends of elements': [`${'<a>'.repeat(20)}${'</a '.repeat(60_000)}`],
  'ends of other elements': [`${'<a>'.repeat(20)}${'</b>'.repeat(60_000)}`],
  'many starts of elements': [`${'<a'.repeat(60_000)} SignatureMethod`],
  'many starts of signatures': ['<SignatureMethod '.repeat(15_000)],
  'many attributes': [`<a ${Array.from({ length: 20_000 }, (_, n) => `a${n}=""`).join(' ')}/>`],
  'long values': [`<a b="${'a '.repeat(120_000)}"/>${'<b xmlns:q="1" q:a="1"/>'.repeat(400)}`],
  'much whitespace between elements': [' '.repeat(250_000)],
  'much whitespace in a tag': ['', ' '.repeat(250_000)],
  'many line breaks': ['\r\n'.repeat(120_000)],
  'many unknown entities': [`<a>${'&foo;'.repeat(45_000)}</a>`],
  'many unknown entities in attributes': [`<a b="${'&foo;'.repeat(700)}"/>`.repeat(60)],
}
for (const [path, { field, message }] of Object.entries(kinds))
  for (const [name, [more, inTag]] of Object.entries(costly))
    test(`an unsigned message with ${name} costs no more than another at ${path}`, async () => {
      const post = async (xml: string) => {
        const answer = await new FormBrowser({ app, host }).post(`/login/saml/acme/${path}`, {
          [field]: idp.encode(xml),
        })
        assert.equal(answer.statusCode, 401, answer.body)
      }
      const xml = message(more, inTag)
      await assertCheap(
        () => post(xml),
        () => post(message('')),
      )
    })

const dsig = 'http://www.w3.org/2000/09/xmldsig#'
const strong = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const weak = `Algorithm="${dsig}rsa-sha1"`

for (const attributes of [
  weak,
  `Note=' Algorithm="${strong}"' ${weak}`,
  `x:Algorithm="${strong}" ${weak}`,
  `data-Algorithm="${strong}" ${weak}`,
  `ds:Algorithm="${dsig}rsa-sha1" Algorithm="${strong}"`,
  `Algorithm="${dsig}rsa-sha&#49;"`,
  '',
])
  test(`a signature method with ${attributes || 'no attribute'} is refused`, () => {
    const xml = idp.responseOf(request, `<ds:SignatureMethod xmlns:ds="${dsig}" ${attributes}/>`)
    assert.throws(() => postedMessage(idp.encode(xml)), /is signed with/)
  })

test('the real attribute may be in single quotes, and after others', () => {
  const method = `<SignatureMethod xmlns='${dsig}' Algorithm = '${strong}' ></SignatureMethod>`
  assert.equal(postedMessage(idp.encode(`<?xml version="1.0"?>\n${idp.responseOf(request, method)}`)).name, 'Response')
})
