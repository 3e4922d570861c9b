import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { Provider } from 'oidc-provider'

const client_secret = 'a secret for tests'

interface Person {
  sub: string
  email: string
  email_verified: boolean
  name: string
  groups?: string[]
}

/** An independent implementation of OpenID Connect, at which everybody is the same person. */
export async function startOidcProvider(person: Person) {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    client: { client_id: 'parley', client_secret },
    /** Registers the client. Its URL is known only when it has started. */
    register(redirectUri: string) {
      const provider = describe(issuer, redirectUri, person)
      const answer = provider.callback()
      server.on('request', (request, response) => {
        if (!request.url!.startsWith('/sign-in/')) return void answer(request, response)
        void provider.interactionFinished(request, response, { login: { accountId: person.sub } })
      })
    },
  }
}

function describe(issuer: string, redirectUri: string, person: Person): Provider {
  return new Provider(issuer, {
    clients: [{ client_id: 'parley', client_secret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    conformIdTokenClaims: false, // claims in the ID token, as Keycloak sends them
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/sign-in/${uid}` },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ ...person }) }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    pkce: { required: () => true },
    cookies: { keys: ['a key for tests'] },
  })
}
