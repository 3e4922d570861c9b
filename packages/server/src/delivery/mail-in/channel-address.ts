import type { Vault } from '../../platform/secrets.ts'
import { readNumbers, writeNumbers } from './signed-numbers.ts'

/** Where emails to the address of a channel are posted, and in whose name. */
export interface ChannelAddress {
  realmId: number
  channelId: number
  /** Who got the address: it works while they may post in the channel. */
  creatorId: number
  senderId: number
}

/** What can stand behind the address, after a dot. */
export const channelOptions = ['show-sender', 'include-footer', 'include-quotes', 'prefer-html'] as const
export type ChannelOption = (typeof channelOptions)[number]

const purpose = 'channel address'
const version = 2
const longestSlug = 18

/** The local part of the address, with the beginning of the channel's name for people. It is always the same. */
export function writeChannelAddress(vault: Vault, address: ChannelAddress, name: string, apiKeyHash: Buffer): string {
  const { realmId, channelId, creatorId, senderId } = address
  const token = writeNumbers(vault, purpose, [version, realmId, channelId, creatorId, senderId], apiKeyHash)
  return `${slugOf(name)}.${token}`
}

function slugOf(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const slug = words.join('-').slice(0, longestSlug)
  return slug === '' || slug === 'r' ? 'channel' : slug
}

/** Undefined: it is no address of a channel. `+` stands for a dot, and unknown options are ignored. */
export function readChannelAddress(local: string) {
  const [, token = '', ...rest] = local.split(/[.+]/, 20)
  const read = readNumbers(token)
  if (read?.numbers.length !== 5 || read.numbers[0] !== version) return undefined
  const [, realmId, channelId, creatorId, senderId] = read.numbers as [number, number, number, number, number]
  return {
    address: { realmId, channelId, creatorId, senderId } satisfies ChannelAddress,
    options: channelOptions.filter((option) => rest.includes(option)),
    isSigned: (vault: Vault, hash: Buffer) => read.isSigned(vault, purpose, hash),
  }
}
