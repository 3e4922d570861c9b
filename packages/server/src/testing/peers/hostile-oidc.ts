import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** What the provider puts into its answers; each test changes what it wants to be wrong. */
export interface Answers {
  claims: JWTPayload
  /** Replaces the whole ID token. */
  idToken?: (honest: JWTPayload) => Promise<string> | string
  userInfo?: object
}

/** A provider that says what the test wants. Its tokens are signed by a real key. */
export async function startHostileOidc() {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  let answers: Answers = { claims: {} }
  const server = createServer(async (request, response) => {
    const send = (body: object) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    if (request.url === '/.well-known/openid-configuration') return send(description())
    if (request.url === '/jwks') return send({ keys: [jwk] })
    if (request.url === '/userinfo') return send(answers.userInfo ?? { sub: answers.claims.sub })
    send({ access_token: 'x', token_type: 'Bearer', expires_in: 60, id_token: await idToken() })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const description = () => ({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    id_token_signing_alg_values_supported: ['RS256'],
  })
  const idToken = async () => answers.idToken?.(answers.claims) ?? sign(answers.claims)
  const sign = (claims: JWTPayload) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey)
  return {
    issuer,
    jwk,
    sign,
    answer: (next: Answers) => {
      answers = next
    },
  }
}
