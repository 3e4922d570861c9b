import { randomInt, X509Certificate } from 'node:crypto'

/** The part of the lifetime after which a certificate is renewed, if its authority does not say when. */
const partOfLifetime = 2 / 3

export interface Lifetime {
  notBefore: Date
  notAfter: Date
}

export function lifetimeOf(chain: string): Lifetime {
  const { validFrom, validTo } = new X509Certificate(chain)
  return { notBefore: new Date(validFrom), notAfter: new Date(validTo) }
}

/** At a moment by chance in the window that the authority suggests, else at two thirds of the lifetime. */
export function renewalTime(
  { notBefore, notAfter }: Lifetime,
  window: { start: string; end: string } | undefined,
): Date {
  const [start, end] = [Date.parse(window?.start ?? ''), Date.parse(window?.end ?? '')]
  if (start < end) return new Date(start + randomInt(Math.min(end - start, 2 ** 47)))
  return new Date(notBefore.getTime() + (notAfter.getTime() - notBefore.getTime()) * partOfLifetime)
}

/** The bytes of the extension "authority key identifier", before the identifier itself. */
const authorityKey = Buffer.from('0603551d23', 'hex')

/** How an authority names a certificate when it is asked for its renewal: the key that signed it, and its number. */
export function certificateId(chain: string): string | undefined {
  const { raw, serialNumber } = new X509Certificate(chain)
  const at = raw.indexOf(authorityKey)
  const identifier = at < 0 ? undefined : keyIdentifierIn(raw.subarray(at + authorityKey.length))
  if (!identifier) return undefined
  const hex = serialNumber.length % 2 ? `0${serialNumber}` : serialNumber
  const serial = Buffer.from(Number.parseInt(hex.slice(0, 2), 16) & 0x80 ? `00${hex}` : hex, 'hex')
  return `${identifier.toString('base64url')}.${serial.toString('base64url')}`
}

/** An octet string with a sequence that begins with the identifier, all of them shorter than 128 bytes. */
function keyIdentifierIn(bytes: Buffer): Buffer | undefined {
  const [octets, , sequence, , tag, length = 0] = bytes
  const isKnown = octets === 0x04 && sequence === 0x30 && tag === 0x80 && length < 0x80
  return isKnown ? bytes.subarray(6, 6 + length) : undefined
}
