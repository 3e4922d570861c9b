import type { Vault } from '../../platform/secrets.ts'

/** 80 bits: guessing is limited by the mail server and by us, and an address alone does not let anyone post. */
const signatureLength = 10

/** Numbers that only this server can write, for the local part of an email address. `secret` is something that can be replaced. */
export function writeNumbers(vault: Vault, purpose: string, numbers: number[], secret: Buffer): string {
  const content = Buffer.from(numbers.flatMap(varint))
  const signature = vault.sign(purpose, Buffer.concat([content, secret])).subarray(0, signatureLength)
  return base32(Buffer.concat([content, signature]))
}

export interface ReadNumbers {
  numbers: number[]
  isSigned(vault: Vault, purpose: string, secret: Buffer): boolean
}

/** Undefined: this is nothing that `writeNumbers` wrote. */
export function readNumbers(text: string): ReadNumbers | undefined {
  const bytes = fromBase32(text)
  const content = bytes?.subarray(0, -signatureLength)
  const numbers = content && varintsIn(content)
  if (!numbers) return undefined
  const signature = bytes!.subarray(-signatureLength)
  return {
    numbers,
    isSigned: (vault, purpose, secret) => vault.isSigned(purpose, Buffer.concat([content, secret]), signature),
  }
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
