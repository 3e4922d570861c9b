import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Codes of authenticator apps, as RFC 6238 describes them: six digits of HMAC-SHA-1, new every 30 seconds. */
const period = 30
const digits = 6

export function newSecret(): Buffer {
  return randomBytes(20)
}

export function currentStep(now = Date.now()): number {
  return Math.floor(now / 1000 / period)
}

export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.at(-1)! & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step of a code, one step of clock difference allowed either way; undefined if the code is wrong. */
export function stepOf(secret: Buffer, code: string, now = currentStep()): number | undefined {
  return [now, now - 1, now + 1].find((step) => isEqual(codeAt(secret, step), code))
}

function isEqual(expected: string, code: string): boolean {
  const [own, typed] = [Buffer.from(expected), Buffer.from(code)]
  return own.length === typed.length && timingSafeEqual(own, typed)
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 without padding: what authenticator apps read, and letters that people can type. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** What the QR code contains. */
export function enrolmentUrl(secret: Buffer, organization: string, email: string): string {
  const label = `${encodeURIComponent(organization)}:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(organization)}`
}
