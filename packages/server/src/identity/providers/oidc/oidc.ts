import { lookup } from '@parley/api/lookup'
import type { Configuration } from 'openid-client'
import type { Config } from '../../../config.ts'
import type { Context } from '../../../context.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { SignInPlan } from '../../sign-in/browser-sign-in.ts'

export type OidcProvider = Config['signOn']['oidc'][number]

/** What a provider says about a person. */
export interface Claimed {
  subject: string
  email: string | undefined
  isVerified: boolean
  name: string | undefined
  /** The URL of an image. */
  picture?: string | undefined
  /** Undefined if the provider sends no groups. */
  groups: string[] | undefined
}

export class SignOnFailed extends ApiError {
  constructor(provider: string) {
    super(`Signing in with ${provider} did not work. Try again.`, 'AUTHENTICATION_FAILED')
  }
}

/** What the browser keeps, encrypted in a cookie, while the person is at the provider. */
interface Started extends SignInPlan {
  realmId: number
  provider: string
  state: string
  nonce: string
  verifier: string
  until: number
}

const purpose = 'sign-on with OpenID Connect'
export const minutesAway = 10

/** Sends the browser to the provider. */
export async function beginOidc(
  { vault }: Context,
  provider: OidcProvider,
  { realmId, redirectUri, plan }: { realmId: number; redirectUri: string; plan: SignInPlan },
): Promise<{ url: string; sealed: string }> {
  const { library, configuration } = await open(provider)
  const started: Started = {
    ...plan,
    realmId,
    provider: provider.id,
    until: Date.now() + minutesAway * 60_000,
    state: library.randomState(),
    nonce: library.randomNonce(),
    verifier: library.randomPKCECodeVerifier(),
  }
  const url = library.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: provider.scopes ?? 'openid email profile',
    state: started.state,
    nonce: started.nonce,
    code_challenge_method: 'S256',
    code_challenge: await library.calculatePKCECodeChallenge(started.verifier),
  })
  return { url: url.href, sealed: vault.sealToken(purpose, started) }
}

/** What the provider says, verified: state, nonce, PKCE, issuer, audience, signature and times. */
export async function completeOidc(
  { vault, log }: Context,
  provider: OidcProvider,
  { realmId, currentUrl, sealed }: { realmId: number; currentUrl: URL; sealed: string },
): Promise<{ claimed: Claimed; plan: SignInPlan; state: string }> {
  const started = vault.openToken(purpose, sealed) as Started | undefined
  const isOurs = started?.realmId === realmId && started.provider === provider.id
  if (!isOurs || started.until < Date.now()) throw new SignOnFailed(provider.name)
  const { state, isSharedComputer, otp } = started
  try {
    const claimed = await exchange(provider, currentUrl, started)
    return { claimed, plan: { isSharedComputer, ...(otp && { otp }) }, state }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    log.warn({ provider: provider.id, code, reason: message }, 'an identity provider gave an answer that was refused')
    throw new SignOnFailed(provider.name)
  }
}

async function exchange(
  provider: OidcProvider,
  currentUrl: URL,
  { state, nonce, verifier }: Started,
): Promise<Claimed> {
  const { library, configuration } = await open(provider)
  const tokens = await library.authorizationCodeGrant(configuration, currentUrl, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()!
  const isComplete =
    claims.email !== undefined && !(provider.groups && lookup(claims, groupsClaim(provider)) === undefined)
  // The subject of the answer must be the one of the ID token.
  const more: Record<string, unknown> = isComplete
    ? {}
    : await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
  const { email, email_verified } = claims.email === undefined ? more : claims // not one from here and one from there
  return toClaimed(provider, { ...more, ...claims, email, email_verified })
}

function groupsClaim({ groups_claim = 'groups' }: OidcProvider): string {
  return groups_claim
}

function toClaimed(provider: OidcProvider, claims: Record<string, unknown>): Claimed {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  const groups = lookup(claims, groupsClaim(provider))
  return {
    subject: String(claims.sub),
    email: text(claims.email),
    isVerified: claims.email_verified === true || claims.email_verified === 'true',
    name: text(claims.name) ?? text(claims.preferred_username),
    picture: text(claims.picture),
    groups: Array.isArray(groups) ? groups.filter((one) => typeof one === 'string') : undefined,
  }
}

interface Opened {
  library: typeof import('openid-client')
  configuration: Configuration
}

const opened = new WeakMap<OidcProvider, { since: number; found: Promise<Opened> }>()
const hour = 3_600_000

/** The provider's own description of itself, read when it is first used and every hour. The library is loaded then too. */
async function open(provider: OidcProvider): Promise<Opened> {
  const known = opened.get(provider)
  if (known && Date.now() - known.since < hour) return known.found
  const found = discover(provider)
  opened.set(provider, { since: Date.now(), found })
  found.catch(() => opened.delete(provider))
  return found
}

async function discover({ issuer, client_id, client_secret, name }: OidcProvider): Promise<Opened> {
  const library = await import('openid-client')
  // Without these checks the library trusts TLS, and does not verify the signature of the ID token.
  const execute = [library.enableNonRepudiationChecks]
  if (issuer.startsWith('http:')) execute.push(library.allowInsecureRequests)
  try {
    const options = { execute, timeout: 10 }
    return {
      library,
      configuration: await library.discovery(new URL(issuer), client_id, client_secret, undefined, options),
    }
  } catch {
    throw new ApiError(`${name} cannot be reached. Try again later.`, 'SERVICE_UNAVAILABLE')
  }
}
