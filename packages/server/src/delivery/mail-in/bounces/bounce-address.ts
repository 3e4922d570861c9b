import { createHash } from 'node:crypto'
import type { Vault } from '../../../platform/secrets.ts'
import { today } from '../reply-address.ts'
import { readNumbers, writeNumbers } from '../signed-numbers.ts'

const purpose = 'bounce address'
const version = 1
const prefix = 'b.'
const validDays = 30

/** Whose email comes back. The signature includes the address it went to: bounces of another one no longer count. */
export interface BounceAddress {
  realmId: number
  userId: number
}

/** The local part of the return path of an email. */
export function writeBounceAddress(vault: Vault, { realmId, userId }: BounceAddress, email: string): string {
  return prefix + writeNumbers(vault, purpose, [version, today(), realmId, userId], hashOf(email))
}

export function readBounceAddress(
  local: string,
): { address: BounceAddress; isSigned: (vault: Vault, email: string) => boolean } | undefined {
  const read = local.startsWith(prefix) ? readNumbers(local.slice(prefix.length)) : undefined
  if (read?.numbers.length !== 4 || read.numbers[0] !== version) return undefined
  const [, day, realmId, userId] = read.numbers as [number, number, number, number]
  if (today() - day > validDays) return undefined
  return {
    address: { realmId, userId },
    isSigned: (vault, email) => read.isSigned(vault, purpose, hashOf(email)),
  }
}

function hashOf(email: string): Buffer {
  return createHash('sha256').update(email).digest()
}
