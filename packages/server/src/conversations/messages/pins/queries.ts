import type { ChannelPinObject } from '@parley/api/conversations/channel-pins'
import type { Caller } from '../../../callers/caller.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { unixSeconds } from '../../../platform/text.ts'
import type { Channel } from '../../channels/access.ts'
import { accessibleMessages } from '../model/access.ts'

/** The pins of a channel, without messages that the caller may not read or that are elsewhere now. */
export async function readPins(db: Db, caller: Caller, { id: channel_id }: Channel): Promise<ChannelPinObject[]> {
  const rows = await db
    .selectFrom('channel_pins')
    .select(['id', 'title', 'message_id', 'url', 'user_id', 'created_at'])
    .where(matches({ realm_id: caller.realm_id, channel_id }))
    .orderBy('id')
    .execute()
  const pinned = rows.flatMap(({ message_id }) => message_id ?? [])
  const messages = await accessibleMessages(db, caller, pinned)
  const here = new Set(messages.filter((one) => one.channel_id === channel_id).map(({ id }) => id))
  return rows
    .filter(({ message_id }) => message_id === null || here.has(message_id))
    .map(({ created_at, ...pin }) => ({ ...pin, timestamp: unixSeconds(created_at) }))
}
