import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'
import { curve } from './encrypt.ts'

/** The key pair by which push services recognize this server (RFC 8292). */
export interface VapidKeys {
  /** An uncompressed point, as browsers expect it. */
  publicKey: Buffer
  privateKey: KeyObject
}

export function newVapidKeys(): VapidKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: curve })
  return { publicKey: publicKeyOf(privateKey.export({ format: 'jwk' })), privateKey }
}

/** Contains both keys. */
export function exportKeys({ privateKey }: VapidKeys): string {
  return JSON.stringify(privateKey.export({ format: 'jwk' }))
}

export function importKeys(text: string): VapidKeys {
  const key = JSON.parse(text) as JsonWebKey
  return { publicKey: publicKeyOf(key), privateKey: createPrivateKey({ key, format: 'jwk' }) }
}

function publicKeyOf({ x, y }: JsonWebKey): Buffer {
  return Buffer.concat([Buffer.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')])
}

/** Push services accept at most 24 hours. */
const validSeconds = 12 * 3600

/** The `Authorization` header for a push service. `contact` is a URL where its operator finds out who we are. */
export function vapidAuthorization(keys: VapidKeys, endpoint: string, contact: string, now = Date.now()): string {
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1000) + validSeconds, sub: contact }
  const unsigned = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(unsigned), { key: keys.privateKey, dsaEncoding: 'ieee-p1363' })
  const token = `${unsigned}.${signature.toString('base64url')}`
  return `vapid t=${token}, k=${keys.publicKey.toString('base64url')}`
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
