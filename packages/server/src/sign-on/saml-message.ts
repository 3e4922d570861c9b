import { verify } from 'node:crypto'
import { lookup } from '@parley/api/lookup'
import type { SamlProvider } from './saml-provider.ts'

const longestMessage = 256 * 1024
const signing = /^http:\/\/www\.w3\.org\/2001\/04\/xmldsig-more#(?:rsa|ecdsa)-sha(?:256|384|512)$/
const digesting = /^http:\/\/www\.w3\.org\/(?:2001\/04\/xmlenc#sha(?:256|512)|2001\/04\/xmldsig-more#sha384)$/

/**
 * Throws if the text has anything that messages never need and attacks do: comments, document types, entities, CDATA,
 * instructions, and signatures with weak algorithms or with a key that is not a pair.
 */
export function checkXml(xml: string): void {
  if (xml.length > longestMessage) throw new Error('the message is too long')
  if (/<!|<\?(?!xml\s)|.<\?xml\s/s.test(xml)) throw new Error('the message has a comment, document type or instruction')
  for (const [tag, name] of xml.matchAll(/<[^>]*\b(SignatureMethod|DigestMethod)\b[^>]*>/g)) {
    if (tag.startsWith('</')) continue
    const [, algorithm = ''] = /\bAlgorithm="([^"]*)"/.exec(tag) ?? []
    if (!(name === 'SignatureMethod' ? signing : digesting).test(algorithm))
      throw new Error(`the message is signed with ${algorithm || 'an unknown algorithm'}`)
  }
}

/** The XML of a message that a form has posted. */
export function postedXml(message: string): string {
  const xml = Buffer.from(message, 'base64').toString('utf8')
  checkXml(xml)
  return xml
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
