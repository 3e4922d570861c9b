import type { Caller } from '../../../callers/caller.ts'
import { RealmCache } from '../../../callers/realm-cache.ts'
import type { Tx } from '../../../events/transact.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { exists, many } from '../../../platform/db/query.ts'
import { type Channel, channelColumnList } from '../../channels/access.ts'
import { readHolders, viewerAudience } from '../../channels/visibility/channel-audience.ts'
import type { SentRow } from '../send/batches.ts'

/** Channels that have messages, by channel id. */
const begunChannels = new RealmCache<number, true>({ entries: 20_000 })

/** Whether a channel has messages. Safe to cache: emptying a channel bumps `access_version`. */
export function hasBegun(db: Db, caller: Caller, channelId: number): boolean | Promise<boolean> {
  return begunChannels.get(caller.state, channelId) ?? findBegun(db, caller, channelId)
}

async function findBegun(db: Db, { state, realm_id }: Caller, channelId: number): Promise<boolean> {
  const found = await exists(db)`
    select 1 from channels c
     where c.id = ${channelId}
       and exists (select 1 from messages m where m.realm_id = ${realm_id} and m.recipient_id = c.recipient_id)`
  return found && begunChannels.set(state, channelId, true)
}

/** Emits `first_message_id` to every user who can see the channel, and to `others`. */
export async function emitFirstMessageId(tx: Tx, channel: Channel, value: number | null, others: number[] = []) {
  const audience = viewerAudience(channel, await readHolders(tx.db, tx.realmId, [channel]))
  tx.emit(
    { type: 'stream', op: 'update', stream_id: channel.id, name: channel.name, property: 'first_message_id', value },
    { ...audience, users: [...new Set([...(audience.users ?? []), ...others])] },
    value === null ? { access: true } : null,
  )
}

/** Emits `first_message_id` of channels that got their first message. Channels created in this transaction already have it. */
export async function emitFirstMessageIds(tx: Tx, sent: SentRow[]): Promise<void> {
  const ids = sent.filter(({ status, topic_id }) => status === 'sent' && topic_id !== null).map((row) => row.message_id)
  if (ids.length === 0) return
  const rows = await many<Channel & { first: number }>(tx.db)`
    select ${channelColumnList}, begun.first
      from channels
      join (select recipient_id as place, min(id) as first from messages
             where realm_id = ${tx.realmId} and id = any(${ids}::bigint[]) group by recipient_id) begun
        on begun.place = channels.recipient_id
     where realm_id = ${tx.realmId} and date_created < now()
       and not exists (select 1 from messages m
                        where m.realm_id = ${tx.realmId} and m.recipient_id = begun.place and m.id < begun.first)
     order by id`
  for (const { first, ...channel } of rows) await emitFirstMessageId(tx, channel, first)
}
