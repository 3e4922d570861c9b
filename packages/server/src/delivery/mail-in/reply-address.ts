import type { Vault } from '../../platform/secrets.ts'

/** What a reply address says: who may answer which message with it, and when it was made. */
export interface ReplyAddress {
  realmId: number
  userId: number
  messageId: number
  /** Days since 1970. */
  day: number
}

const purpose = 'reply address'
const version = 1
/** 80 bits: guessing is limited by the mail server and by us, and an address alone does not let anyone post. */
const signatureLength = 10
const prefix = 'r.'
const validDays = 400

export function today(now = Date.now()): number {
  return Math.floor(now / 86_400_000)
}

/**
 * The local part of the address. Nothing is stored: the server recognizes what it has signed. The signature includes the hash
 * of the user's API key, so that replacing the key (signing out everywhere, deactivation) ends all their addresses.
 */
export function writeReplyAddress(vault: Vault, address: ReplyAddress, apiKeyHash: Buffer): string {
  const { realmId, userId, messageId, day } = address
  const content = Buffer.from([version, ...[day, realmId, userId, messageId].flatMap(varint)])
  const signature = vault.sign(purpose, Buffer.concat([content, apiKeyHash])).subarray(0, signatureLength)
  return prefix + base32(Buffer.concat([content, signature]))
}

/** What the local part says, and whether it is true for a user with this API key. Undefined: it is no reply address. */
export function readReplyAddress(
  local: string,
): { address: ReplyAddress; isSigned: (vault: Vault, apiKeyHash: Buffer) => boolean } | undefined {
  const bytes = local.startsWith(prefix) ? fromBase32(local.slice(prefix.length)) : undefined
  if (bytes?.[0] !== version) return undefined
  const content = bytes.subarray(0, -signatureLength)
  const [day, realmId, userId, messageId, ...rest] = varintsIn(content.subarray(1)) ?? []
  if (messageId === undefined || rest.length > 0) return undefined
  return {
    address: { day: day!, realmId: realmId!, userId: userId!, messageId },
    isSigned: (vault, hash) =>
      vault.isSigned(purpose, Buffer.concat([content, hash]), bytes.subarray(-signatureLength)),
  }
}

export function hasExpired({ day }: ReplyAddress): boolean {
  return today() - day > validDays
}

/** Seven bits in each byte, the lowest first; the last byte is below 128. */
function varint(value: number): number[] {
  return value < 128 ? [value] : [128 + (value % 128), ...varint(Math.floor(value / 128))]
}

/** Undefined unless all numbers are complete. */
function varintsIn(bytes: Buffer): number[] | undefined {
  const numbers: number[] = []
  let value = 0
  let factor = 1
  for (const byte of bytes) {
    value += (byte % 128) * factor
    factor = byte < 128 ? 1 : factor * 128
    if (byte < 128) numbers.push(value)
    if (byte < 128) value = 0
    if (!Number.isSafeInteger(value)) return undefined
  }
  return factor === 1 ? numbers : undefined
}

/** Letters and digits that stay the same whatever mail servers do to upper and lower case. */
const letters = 'abcdefghijklmnopqrstuvwxyz234567'

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => letters[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** Undefined unless it is exactly what `base32` writes. */
function fromBase32(text: string): Buffer | undefined {
  if (!/^[a-z2-7]{20,60}$/.test(text)) return undefined
  const bits = [...text].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
  return base32(bytes) === text ? bytes : undefined
}
