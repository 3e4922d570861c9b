import { verify } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { lookup } from '@parley/api/lookup'
import type { SamlProvider } from './saml-provider.ts'
import { readTags, type Tag, withoutPrefix } from './saml-tags.ts'

const longestMessage = 256 * 1024
const signing = /^http:\/\/www\.w3\.org\/2001\/04\/xmldsig-more#(?:rsa|ecdsa)-sha(?:256|384|512)$/
const digesting = /^http:\/\/www\.w3\.org\/(?:2001\/04\/xmlenc#sha(?:256|512)|2001\/04\/xmldsig-more#sha384)$/
const algorithms = new Map([
  ['SignatureMethod', signing],
  ['DigestMethod', digesting],
])

/** The XML of a message, with the attributes of its outermost element. */
export interface SamlMessage {
  xml: string
  name: string
  attributes: Map<string, string>
}

/**
 * Anybody can send a message, and the library compares every element with every other one before it verifies anything. So
 * what no real message has is refused here, in one pass, and with it signatures with weak algorithms.
 */
function readMessage(xml: string): SamlMessage {
  if (xml.length > longestMessage) throw new Error('the message is too long')
  const tags = readTags(xml)
  for (const tag of tags) checkAlgorithm(tag)
  const [root] = tags
  if (!root) throw new Error('the message is no XML')
  return { xml, ...root }
}

/** A name with a prefix is another attribute: verified and used must be the same one. */
function checkAlgorithm({ name, attributes }: Tag): void {
  const accepted = algorithms.get(name)
  if (!accepted) return
  const named = [...attributes.keys()].filter((key) => withoutPrefix(key) === 'Algorithm')
  const algorithm = attributes.get('Algorithm') ?? ''
  if (named.length !== 1 || !accepted.test(algorithm))
    throw new Error(`the message is signed with ${algorithm || 'an unknown algorithm'}`)
}

/** A message that a form has posted. */
export function postedMessage(message: string): SamlMessage {
  if (message.length > 2 * longestMessage) throw new Error('the message is too long')
  return readMessage(Buffer.from(message, 'base64').toString('utf8'))
}

/** A message in a URL, which is compressed. */
export function messageInUrl(message: string): SamlMessage {
  return readMessage(inflateRawSync(Buffer.from(message, 'base64'), { maxOutputLength: longestMessage }).toString())
}

/** Whether the message says that it was sent to this URL. */
export function isSentTo({ attributes }: SamlMessage, url: string): boolean {
  return attributes.get('Destination')?.replaceAll('&amp;', '&') === url
}

const queryNames = ['SAMLRequest', 'RelayState', 'SigAlg', 'Signature']
const hashes: Record<string, string> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384': 'sha384',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'sha512',
}

/**
 * Throws unless a request in a URL is signed by the provider. The signature is about the text of the URL, so that each
 * parameter must be there once: of two, one could be verified and the other used.
 */
export function checkSignedQuery({ certificates }: SamlProvider, query: string): void {
  const parts = new Map<string, string>()
  for (const part of query.split('&')) {
    const name = part.slice(0, part.indexOf('='))
    if (!queryNames.includes(name) || parts.has(name)) throw new Error('the URL has other or repeated parameters')
    parts.set(name, part)
  }
  const value = (name: string) => decodeURIComponent((parts.get(name) ?? '=').slice(name.length + 1))
  const signed = ['SAMLRequest', 'RelayState', 'SigAlg'].flatMap((name) => parts.get(name) ?? []).join('&')
  const hash = lookup(hashes, value('SigAlg'))
  const signature = Buffer.from(value('Signature'), 'base64')
  const isSigned = (certificate: string) => verify(hash, Buffer.from(signed), toPem(certificate), signature)
  if (hash === undefined || !certificates.some(isSigned)) throw new Error('the request is not signed by the provider')
}

function toPem(certificate: string): string {
  if (certificate.includes('-----BEGIN')) return certificate
  const lines = certificate.replace(/\s/g, '').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
