import { generateKeyPairSync, randomUUID, sign as signBytes } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { SignedXml } from 'xml-crypto'

export const issuer = 'https://id.acme.test'
const pem = { publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } }
export const newKeys = () =>
  generateKeyPairSync('rsa', { modulusLength: 2048, ...pem } as never) as unknown as {
    publicKey: string
    privateKey: string
  }
export const keys = newKeys()

const assertionNs = 'urn:oasis:names:tc:SAML:2.0:assertion'
const protocolNs = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'

/** What an assertion says; tests change what they want to be wrong. */
export interface Statement {
  requestId: string
  acsUrl: string
  audience: string
  nameId: string
  format: string
  attributes: Record<string, string | string[]>
  issuer: string
  /** In minutes from now. */
  from: number
  to: number
  issued: number
  confirmedTo: number
  method: string
  sessionIndex: string
}

/** What an honest provider says about a person, in answer to the request in the URL that the browser was sent to. */
export function statementFor(requestUrl: string, acsUrl: string, email: string): Statement {
  return {
    requestId: requestIn(requestUrl).id,
    acsUrl,
    audience: acsUrl.replace(/acs$/, 'metadata'),
    nameId: `id of ${email}`,
    format: persistent,
    attributes: { email, displayName: 'Someone' },
    issuer,
    from: -1,
    to: 5,
    issued: 0,
    confirmedTo: 5,
    method: 'bearer',
    sessionIndex: '_s1',
  }
}

/** The answer of an honest provider. */
export const honest = (say: Statement) => responseOf(say, sign(assertionOf(say), 'Assertion'))

const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

/** An assertion without a signature. */
export function assertionOf(say: Statement): string {
  const attributes = Object.entries(say.attributes).map(([name, values]) => {
    const inner = [values].flat().map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`)
    return `<saml:Attribute Name="${name}">${inner.join('')}</saml:Attribute>`
  })
  return `<saml:Assertion xmlns:saml="${assertionNs}" ID="_${randomUUID()}" Version="2.0" IssueInstant="${at(say.issued)}">\
<saml:Issuer>${say.issuer}</saml:Issuer>\
<saml:Subject><saml:NameID Format="${say.format}">${say.nameId}</saml:NameID>\
<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:${say.method}"><saml:SubjectConfirmationData \
InResponseTo="${say.requestId}" Recipient="${say.acsUrl}" NotOnOrAfter="${at(say.confirmedTo)}"/></saml:SubjectConfirmation></saml:Subject>\
<saml:Conditions NotBefore="${at(say.from)}" NotOnOrAfter="${at(say.to)}"><saml:AudienceRestriction>\
<saml:Audience>${say.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>\
<saml:AuthnStatement AuthnInstant="${at(0)}" SessionIndex="${say.sessionIndex}"><saml:AuthnContext>\
<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>\
<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement></saml:Assertion>`
}

/** The answer around assertions. */
export function responseOf(say: Pick<Statement, 'requestId' | 'acsUrl'>, assertions: string, destination = say.acsUrl) {
  return `<samlp:Response xmlns:samlp="${protocolNs}" ID="_${randomUUID()}" Version="2.0" IssueInstant="${at(0)}" \
Destination="${destination}" InResponseTo="${say.requestId}"><saml:Issuer xmlns:saml="${assertionNs}">${issuer}</saml:Issuer>\
<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${assertions}</samlp:Response>`
}

interface Signing {
  key?: string
  algorithm?: string
  digest?: string
  isHmac?: boolean
  /** Put into the signature, as if it were the key to verify it with. */
  keyInfo?: string
}

/** Signs the first element with this name, inside of it. */
export function sign(xml: string, element: 'Assertion' | 'Response' | 'LogoutRequest', signing: Signing = {}): string {
  const { key = keys.privateKey, algorithm = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256' } = signing
  const { digest = 'http://www.w3.org/2001/04/xmlenc#sha256', isHmac, keyInfo } = signing
  const signer = new SignedXml({ privateKey: key, signatureAlgorithm: algorithm as never })
  if (isHmac) signer.enableHMAC()
  if (keyInfo) signer.getKeyInfoContent = () => keyInfo
  signer.canonicalizationAlgorithm = 'http://www.w3.org/2001/10/xml-exc-c14n#'
  signer.addReference({
    xpath: `//*[local-name(.)='${element}']`,
    digestAlgorithm: digest as never,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', 'http://www.w3.org/2001/10/xml-exc-c14n#'],
  })
  const location = { reference: `//*[local-name(.)='${element}']/*[local-name(.)='Issuer']`, action: 'after' as const }
  signer.computeSignature(xml, { location })
  return signer.getSignedXml()
}

export const encode = (xml: string): string => Buffer.from(xml).toString('base64')

/** The XML of a request of ours, which is in the URL that the browser was sent to. */
export function requestIn(url: string): { xml: string; id: string } {
  const message = new URL(url).searchParams.get('SAMLRequest')!
  const xml = inflateRawSync(Buffer.from(message, 'base64')).toString()
  return { xml, id: / ID="([^"]+)"/.exec(xml)![1]! }
}

export interface Logout {
  destination: string
  sessionIndex?: string
  /** In minutes from now. */
  to?: number
  issued?: number
}

export function logoutRequestOf(nameId: string, { destination, sessionIndex, to = 5, issued = 0 }: Logout) {
  const index = sessionIndex === undefined ? '' : `<samlp:SessionIndex>${sessionIndex}</samlp:SessionIndex>`
  return `<samlp:LogoutRequest xmlns:samlp="${protocolNs}" ID="_${randomUUID()}" Version="2.0" IssueInstant="${at(issued)}" \
Destination="${destination}" NotOnOrAfter="${at(to)}"><saml:Issuer xmlns:saml="${assertionNs}">${issuer}</saml:Issuer>\
<saml:NameID xmlns:saml="${assertionNs}">${nameId}</saml:NameID>${index}</samlp:LogoutRequest>`
}

/** The query of a signed request in a URL. */
export function signQuery(query: string, key = keys.privateKey, algorithm = 'rsa-sha256'): string {
  const signed = `${query}&SigAlg=${encodeURIComponent(`http://www.w3.org/2001/04/xmldsig-more#${algorithm}`)}`
  return `${signed}&Signature=${encodeURIComponent(signBytes('sha256', Buffer.from(signed), key).toString('base64'))}`
}
