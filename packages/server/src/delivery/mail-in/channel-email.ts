import type { Caller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import type { Channel } from '../../conversations/channels/access.ts'
import { writeChannelAddress } from './channel-address.ts'
import { findApiKeyHash } from './mailboxes.ts'

/** The email address of a channel for this user; empty if the server receives no email. */
export async function channelEmail(
  { config, db, vault }: Context,
  creator: Caller,
  channel: Channel,
  senderId: number,
): Promise<string> {
  if (!config.mailIn) return ''
  const address = { realmId: creator.realm_id, channelId: channel.id, creatorId: creator.id, senderId }
  const key = await findApiKeyHash(db, creator.realm_id, creator.id)
  return `${writeChannelAddress(vault, address, channel.name, key!)}@${config.mailIn.domain}`
}
