import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Signature } from './integration.ts'
import { lookup } from './paths.ts'

/** Whether the sender of a body knows the secret. */
export function isSigned(
  signature: Signature,
  secret: string,
  headers: Record<string, string | undefined>,
  body: Buffer,
): boolean {
  const sent = lookup(headers, signature.header)
  if (sent === undefined) return false
  if (signature.kind === 'token') return isSame(sent, secret)
  const digest = createHmac('sha256', secret).update(body).digest('hex')
  return isSame(sent, `${signature.prefix ?? ''}${digest}`)
}

/** Compares in constant time: hashes of any two texts have the same length. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compared').update(text).digest()
  return timingSafeEqual(digest(left), digest(right))
}
