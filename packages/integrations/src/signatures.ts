import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Signature } from './integration.ts'
import { lookup } from './paths.ts'

/** Signatures with a time are taken for so long. */
const validSeconds = 300

/** Whether the sender of a body knows the secret. */
export function isSigned(
  signature: Signature,
  secret: string,
  headers: Record<string, string | undefined>,
  body: Buffer,
): boolean {
  const sent = lookup(headers, signature.header)
  if (sent === undefined) return false
  switch (signature.kind) {
    case 'token':
      return isSame(sent, secret)
    case 'hmac_sha256': {
      const expected = `${signature.prefix ?? ''}${hashOf(secret, body)}`
      return parts(sent).some((one) => isSame(one, expected)) // several while a secret is replaced
    }
    case 'timestamped_hmac_sha256':
      return isSignedNow(secret, parts(sent), body)
  }
}

function isSignedNow(secret: string, fields: string[], body: Buffer): boolean {
  const time = fields.find((one) => one.startsWith('t='))?.slice(2) ?? ''
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= validSeconds)) return false
  const expected = `v1=${hashOf(secret, Buffer.concat([Buffer.from(`${time}.`), body]))}`
  return fields.some((one) => isSame(one, expected))
}

function hashOf(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}

function parts(sent: string): string[] {
  return sent.split(',').map((one) => one.trim())
}

/** Compares in constant time: hashes of any two texts have the same length. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compared').update(text).digest()
  return timingSafeEqual(digest(left), digest(right))
}
