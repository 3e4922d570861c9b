/** What our tests use of the provider, which comes without types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }
  interface Oidc {
    provider: { Grant: new (of: { clientId: string; accountId: string }) => Grant }
    client?: { clientId: string }
    session?: { accountId?: string }
  }
  interface Configuration {
    clients: object[]
    claims: object
    features: object
    interactions: { url: (context: unknown, interaction: { uid: string }) => string }
    findAccount: (context: unknown, accountId: string) => object
    loadExistingGrant: (context: { oidc: Oidc }) => Promise<Grant>
    pkce: object
    cookies: object
    conformIdTokenClaims?: boolean
  }
  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
