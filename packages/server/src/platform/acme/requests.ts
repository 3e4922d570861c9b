import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { bits, dnsName, integer, octets, oid, sequence, set, tagged, text, time, yes } from './der.ts'

const ids = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  extensionRequest: '1.2.840.113549.1.9.14',
  commonName: '2.5.4.3',
  alternativeNames: '2.5.29.17',
  acmeIdentifier: '1.3.6.1.5.5.7.1.31',
}

export function newKeyPair(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
}

export function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}

/** Asks for a certificate of one host. */
export function certificateRequest(host: string, key: KeyObject): Buffer {
  const attributes = tagged(0, sequence(oid(ids.extensionRequest), set(sequence(namesOf(host)))))
  return signed(sequence(integer(Buffer.from([0])), sequence(), publicKeyOf(key), attributes), key)
}

const day = 86_400_000

/** The certificate with which a server proves by TLS that it controls a host (RFC 8737). */
export function challengeCertificate(host: string, keyAuthorization: string): { key: string; cert: string } {
  const key = newKeyPair()
  const hash = createHash('sha256').update(keyAuthorization).digest()
  const proof = sequence(oid(ids.acmeIdentifier), yes, octets(octets(hash)))
  const name = sequence(set(sequence(oid(ids.commonName), text('ACME challenge'))))
  const now = Date.now()
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(new Date(now - day)), time(new Date(now + day))),
    name,
    publicKeyOf(key),
    tagged(3, sequence(namesOf(host), proof)),
  )
  const base64 = signed(body, key)
    .toString('base64')
    .replace(/.{1,64}/g, '$&\n')
  return { key: pemOf(key), cert: `-----BEGIN CERTIFICATE-----\n${base64}-----END CERTIFICATE-----\n` }
}

const algorithm = sequence(oid(ids.ecdsaWithSha256))

function namesOf(host: string): Buffer {
  return sequence(oid(ids.alternativeNames), octets(sequence(dnsName(host))))
}

function publicKeyOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' })
}

function signed(body: Buffer, key: KeyObject): Buffer {
  return sequence(body, algorithm, bits(sign('sha256', body, key)))
}
