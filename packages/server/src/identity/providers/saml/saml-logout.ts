import type { Profile } from '@node-saml/node-saml'
import type { Caller } from '../../../callers/caller.ts'
import { type Context, transactIn } from '../../../context.ts'
import { column, maybeOne } from '../../../platform/db/query.ts'
import { spendChallenge } from '../../second-factors/challenges.ts'
import { endCredentials } from '../../sessions/stored-credentials.ts'
import { SignOnFailed } from '../oidc/oidc.ts'
import { samlProvidersOf } from '../providers.ts'
import { type SamlSession, storedAs } from './saml-assertion.ts'
import { checkSignedQuery, isSentTo, messageInUrl, postedMessage, type SamlMessage } from './saml-message.ts'
import { clockSkew, longestAge, openSaml, type SamlProvider, type SamlSite, siteOf } from './saml-provider.ts'

/** Where the browser ends the session at the provider too, after the caller has signed out here. */
export async function samlLogoutUrl(ctx: Context, caller: Caller, realmUrl: string): Promise<string | undefined> {
  const withLogout = samlProvidersOf(ctx.config, caller.realm).filter(({ logout_url }) => logout_url !== undefined)
  if (withLogout.length === 0 || caller.credential?.kind !== 'session') return undefined
  const row = await maybeOne<{ sign_on: SamlSession | null }>(ctx.db)`
    select sign_on from credentials where realm_id = ${caller.realm_id} and id = ${caller.credential.id}`
  const provider = withLogout.find((one) => storedAs(one) === row?.sign_on?.provider)
  if (!provider) return undefined
  const saml = await openSaml(provider, siteOf(provider, realmUrl))
  const { name_id, name_id_format, session_index } = row!.sign_on!
  const user = {
    issuer: provider.entity_id,
    nameID: name_id,
    nameIDFormat: name_id_format ?? undefined,
    ...(session_index !== null && { sessionIndex: session_index }),
  }
  return saml.getLogoutUrlAsync(user as Profile, '', {})
}

/** A request of the provider to sign a person out, as a form or in a URL. It gets back its own `relayState`. */
export type LogoutMessage = ({ posted: string } | { query: string }) & { relayState: string }

/** Ends the sessions that the provider names, and returns where its answer goes. A request is signed, and works once. */
export async function acceptLogout(
  ctx: Context,
  provider: SamlProvider,
  { realmId, site, message }: { realmId: number; site: SamlSite; message: LogoutMessage },
): Promise<string> {
  try {
    const profile = await verifyRequest(provider, site, message)
    await endSessions(ctx, realmId, provider, profile)
    const saml = await openSaml(provider, site)
    return await saml.getLogoutResponseUrlAsync(profile, message.relayState, {}, true)
  } catch (error) {
    const reason = (error as Error).message
    ctx.log.warn({ provider: provider.id, reason }, 'an identity provider sent a logout that was refused')
    throw new SignOnFailed(provider.name)
  }
}

async function verifyRequest(provider: SamlProvider, site: SamlSite, message: LogoutMessage): Promise<Profile> {
  const saml = await openSaml(provider, site)
  if ('posted' in message) {
    checkRequest(postedMessage(message.posted), site)
    const { profile } = await saml.validatePostRequestAsync({ SAMLRequest: message.posted })
    return profile!
  }
  checkSignedQuery(provider, message.query)
  const fields = Object.fromEntries(new URLSearchParams(message.query))
  checkRequest(messageInUrl(fields.SAMLRequest!), site)
  const { profile } = await saml.validateRedirectAsync(fields, message.query)
  return profile!
}

/** Signed requests must name their destination. Without these rules, one that was seen once could be sent for ever. */
function checkRequest(message: SamlMessage, { logoutUrl }: SamlSite): void {
  if (!isSentTo(message, logoutUrl)) throw new Error('the request is for another destination')
  const age = Date.now() - Date.parse(message.attributes.get('IssueInstant') ?? '')
  if (!(age >= -clockSkew && age <= longestAge + clockSkew)) throw new Error('the request is not from now')
}

/** Without a session of the provider, all sessions of the person end. */
function endSessions(ctx: Context, realmId: number, provider: SamlProvider, profile: Profile): Promise<void> {
  const { ID, nameID, sessionIndex = null } = profile
  return transactIn(ctx, realmId, async (tx) => {
    const isNew = await spendChallenge(tx, `logout ${realmId} ${storedAs(provider)} ${ID}`)
    if (!isNew) throw new Error('the request was used before')
    const ended = await column<{ id: number; user_id: number }>(tx.db)`
      select jsonb_build_object('id', id, 'user_id', user_id) from credentials
       where realm_id = ${realmId} and sign_on ->> 'provider' = ${storedAs(provider)}
         and sign_on ->> 'name_id' = ${nameID}
         and coalesce(sign_on ->> 'session_index' = ${sessionIndex}::text, true)`
    await endCredentials(
      tx,
      ended.map(({ id }) => id),
    )
    for (const { id, user_id } of ended)
      await tx.audit(user_id, 'session_ended', { user_id, session_id: id, provider: storedAs(provider) })
  })
}
