import { randomBytes } from 'node:crypto'
import type { SAML } from '@node-saml/node-saml'
import type { Config } from '../../../config.ts'

export type SamlProvider = Config['signOn']['saml'][number]

/** Where the organization is, for its provider. Another organization has other URLs, so that answers do not work there. */
export interface SamlSite {
  entityId: string
  /** Where answers are posted to. */
  acsUrl: string
  logoutUrl: string
}

export function siteOf({ id, own_entity_id }: SamlProvider, realmUrl: string): SamlSite {
  const url = `${realmUrl}/login/saml/${id}`
  return { entityId: own_entity_id ?? `${url}/metadata`, acsUrl: `${url}/acs`, logoutUrl: `${url}/logout` }
}

export const clockSkew = 30_000
export const longestAge = 5 * 60_000

/** Ids must not begin with a digit. */
export function newRequestId(): string {
  return `_${randomBytes(20).toString('hex')}`
}

/** The library, set up for one provider; loaded when it is first used. `requestId` becomes the id of a request. */
export async function openSaml(provider: SamlProvider, site: SamlSite, requestId = newRequestId()): Promise<SAML> {
  const { SAML } = await import('@node-saml/node-saml')
  const { private_key: privateKey, own_certificate: publicCert, logout_url: logoutUrl } = provider
  return new SAML({
    issuer: site.entityId,
    audience: site.entityId,
    callbackUrl: site.acsUrl,
    logoutCallbackUrl: site.logoutUrl,
    entryPoint: provider.sso_url,
    idpIssuer: provider.entity_id,
    idpCert: provider.certificates,
    ...(logoutUrl !== undefined && { logoutUrl }),
    ...(privateKey !== undefined && { privateKey, signatureAlgorithm: 'sha256', digestAlgorithm: 'sha256' }),
    ...(publicCert !== undefined && { publicCert }),
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: clockSkew,
    maxAssertionAgeMs: longestAge,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    generateUniqueId: () => requestId,
  })
}
