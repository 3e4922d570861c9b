import type { Profile } from '@node-saml/node-saml'
import { lookup } from '@parley/api/lookup'
import { vouchesFor } from '../email-domains.ts'
import type { Claimed } from '../oidc/oidc.ts'
import { clockSkew, type SamlProvider, type SamlSite } from './saml-provider.ts'

/** An element as the library parses it: attributes in `$`, text in `_`, and children by their name. */
interface Element {
  $?: Record<string, string>
  _?: string
  [child: string]: Element[] | unknown
}

/** The session at the provider. */
export interface SamlSession {
  provider: string
  name_id: string
  name_id_format: string | null
  session_index: string | null
}

/** What a verified assertion says. */
export interface Asserted {
  /** The id of our request that it answers. */
  requestId: string
  claimed: Claimed
  session: SamlSession
}

const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

/** The library has verified the signature, audience and conditions; the rest of what an assertion needs is checked here. */
export function readAssertion(provider: SamlProvider, site: SamlSite, profile: Profile): Asserted {
  const assertion = (profile.getAssertion!() as { Assertion: Element }).Assertion
  if (only(assertion, 'Issuer')._ !== provider.entity_id) throw new Error('the assertion has another issuer')
  const subject = only(assertion, 'Subject')
  const requestId = confirmedRequest(subject, site)
  const { _: nameId = '', $: { Format: format = null } = {} } = only(subject, 'NameID')
  if (nameId.trim() === '') throw new Error('the assertion has no NameID')
  return {
    requestId,
    claimed: readClaims(provider, attributesOf(profile), { nameId, format }),
    session: {
      provider: storedAs(provider),
      name_id: nameId,
      name_id_format: format,
      session_index: profile.sessionIndex ?? null,
    },
  }
}

/** The prefix keeps SAML apart from other providers with the same id. */
export function storedAs({ id }: SamlProvider): string {
  return `saml:${id}`
}

function children(parent: Element, name: string): Element[] {
  const found = lookup(parent as Record<string, unknown>, name)
  return Array.isArray(found) ? (found as Element[]) : []
}

function only(parent: Element, name: string): Element {
  const [one, another] = children(parent, name)
  if (!one || another) throw new Error(`the assertion has no ${name}, or several`)
  return typeof one === 'object' ? one : {}
}

/** The request that a confirmation of the subject names: for us, still valid, and not for a later time. */
function confirmedRequest(subject: Element, { acsUrl }: SamlSite): string {
  const now = Date.now()
  for (const confirmation of children(subject, 'SubjectConfirmation')) {
    const {
      Recipient,
      InResponseTo,
      NotOnOrAfter = '',
      NotBefore,
    } = children(confirmation, 'SubjectConfirmationData')[0]?.$ ?? {}
    const isTimely =
      Date.parse(NotOnOrAfter) + clockSkew > now && (!NotBefore || Date.parse(NotBefore) - clockSkew <= now)
    if (confirmation.$?.Method === bearer && Recipient === acsUrl && InResponseTo && isTimely) return InResponseTo
  }
  throw new Error('no confirmation of the subject is for us, for a request of ours and for now')
}

const emailNames = [
  'email',
  'mail',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
]
const fullNames = [
  'displayName',
  'name',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'http://schemas.microsoft.com/identity/claims/displayname',
  'cn',
  'urn:oid:2.5.4.3',
]

function attributesOf({ attributes }: Profile): Record<string, unknown> {
  return (attributes as Record<string, unknown> | undefined) ?? {}
}

function readClaims(
  provider: SamlProvider,
  attributes: Record<string, unknown>,
  { nameId, format }: { nameId: string; format: string | null },
): Claimed {
  const texts = (name: string) => [lookup(attributes, name) ?? []].flat().filter((one) => typeof one === 'string')
  const first = (names: string[]) => names.flatMap(texts).find((text) => text !== '')
  const { id_attribute, email_attribute, name_attribute, groups_attribute = 'groups' } = provider
  const subject = id_attribute === undefined ? nameId : first([id_attribute])
  if (!subject || (id_attribute === undefined && format === transient))
    throw new Error('the assertion has no id that stays the same')
  const email = first(email_attribute === undefined ? emailNames : [email_attribute])
  const own = email ?? (format === emailFormat ? nameId : undefined)
  return {
    subject,
    email: own,
    isVerified: own !== undefined && vouchesFor(provider, own),
    name: first(name_attribute === undefined ? fullNames : [name_attribute]),
    groups: Object.hasOwn(attributes, groups_attribute) ? mappedGroups(provider, texts(groups_attribute)) : undefined,
  }
}

/** The others would only make the answer long. */
function mappedGroups({ groups = {} }: SamlProvider, claimed: string[]): string[] {
  return claimed.filter((name) => Object.hasOwn(groups, name))
}
