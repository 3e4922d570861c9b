import type { Vault } from '../../platform/secrets.ts'
import { readNumbers, writeNumbers } from './signed-numbers.ts'

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
  return prefix + writeNumbers(vault, purpose, [version, day, realmId, userId, messageId], apiKeyHash)
}

/** What the local part says, and whether it is true for a user with this API key. Undefined: it is no reply address. */
export function readReplyAddress(
  local: string,
): { address: ReplyAddress; isSigned: (vault: Vault, apiKeyHash: Buffer) => boolean } | undefined {
  const read = local.startsWith(prefix) ? readNumbers(local.slice(prefix.length)) : undefined
  if (read?.numbers.length !== 5 || read.numbers[0] !== version) return undefined
  const [, day, realmId, userId, messageId] = read.numbers as [number, number, number, number, number]
  return {
    address: { day, realmId, userId, messageId },
    isSigned: (vault, hash) => read.isSigned(vault, purpose, hash),
  }
}

export function hasExpired({ day }: ReplyAddress): boolean {
  return today() - day > validDays
}
