import type { Context } from '../../../context.ts'
import type { SignInPlan } from '../../sign-in/browser-sign-in.ts'
import { minutesAway, SignOnFailed } from '../oidc/oidc.ts'
import { type Asserted, readAssertion } from './saml-assertion.ts'
import { isSentTo, postedMessage, type SamlMessage } from './saml-message.ts'
import { newRequestId, openSaml, type SamlProvider, type SamlSite } from './saml-provider.ts'

/** The organization and the provider that something sealed is for. */
interface Bound {
  realmId: number
  provider: string
  until: number
}

/** What the browser keeps, encrypted in a cookie, while the person is at the provider. */
interface Started extends SignInPlan, Bound {
  requestId: string
}

const startedPurpose = 'sign-on with SAML'
const answerPurpose = 'answer of a SAML provider'
const answerMilliseconds = 2 * 60_000

/** Sends the browser to the provider. */
export async function beginSaml(
  { vault }: Context,
  provider: SamlProvider,
  { realmId, site, plan }: { realmId: number; site: SamlSite; plan: SignInPlan },
): Promise<{ url: string; sealed: string }> {
  const requestId = newRequestId()
  const saml = await openSaml(provider, site, requestId)
  const until = Date.now() + minutesAway * 60_000
  const started: Started = { ...plan, realmId, provider: provider.id, until, requestId }
  return { url: await saml.getAuthorizeUrlAsync('', undefined, {}), sealed: vault.sealToken(startedPurpose, started) }
}

/**
 * Verifies an answer that the provider's page made the browser post. Browsers send no cookies with it, so that it waits in
 * the URL of the next page, encrypted, to meet the cookie of the browser that asked.
 */
export async function acceptSaml(
  { vault, log }: Context,
  provider: SamlProvider,
  { realmId, site, response }: { realmId: number; site: SamlSite; response: string },
): Promise<string> {
  try {
    checkDestination(postedMessage(response), site)
    const saml = await openSaml(provider, site)
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response })
    if (!profile) throw new Error('the answer has no assertion')
    const until = Date.now() + answerMilliseconds
    const bound: Bound = { realmId, provider: provider.id, until }
    return vault.sealToken(answerPurpose, { ...bound, ...readAssertion(provider, site, profile) })
  } catch (error) {
    const reason = (error as Error).message
    log.warn({ provider: provider.id, reason }, 'an identity provider gave an answer that was refused')
    throw new SignOnFailed(provider.name)
  }
}

/** The signed assertion names its recipient; the answer around it may name one too. */
function checkDestination(message: SamlMessage, { acsUrl }: SamlSite): void {
  if (message.attributes.get('Destination') && !isSentTo(message, acsUrl))
    throw new Error('the answer is for another destination')
}

/** What the provider says, if this browser has asked for it. */
export function completeSaml(
  { vault }: Context,
  provider: SamlProvider,
  { realmId, started: sealedStarted, answer: sealedAnswer }: { realmId: number; started: string; answer: string },
): Asserted & { plan: SignInPlan } {
  const started = vault.openToken(startedPurpose, sealedStarted) as Started | undefined
  const answer = vault.openToken(answerPurpose, sealedAnswer) as (Asserted & Bound) | undefined
  const isOurs = (one: Bound | undefined) =>
    one?.realmId === realmId && one.provider === provider.id && one.until > Date.now()
  if (!started || !answer || !isOurs(started) || !isOurs(answer) || started.requestId !== answer.requestId)
    throw new SignOnFailed(provider.name)
  const { isSharedComputer, otp } = started
  const { requestId, claimed, session } = answer
  return { requestId, claimed, session, plan: { isSharedComputer, ...(otp && { otp }) } }
}
