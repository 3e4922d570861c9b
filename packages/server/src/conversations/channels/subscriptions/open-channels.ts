import { mayAddOthers, mayJoin } from '@parley/api/channel-permissions'
import type { Caller } from '../../../callers/caller.ts'
import { lockRow } from '../../../events/lock-row.ts'
import type { Tx } from '../../../events/transact.ts'
import { lockFolderRow } from '../../../organization/folders/access.ts'
import { checkSharedLimit } from '../../../organization/realms/snapshot-limits.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column, columnOf } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { type Channel, lockChannels } from '../access.ts'
import { createChannels, type NewChannel } from '../create.ts'
import { channelKey, checkChannelName, checkDescription } from '../settings/channel-names.ts'
import { accessNewChannelSettings, type SubscribeParams } from '../settings/permissions.ts'
import { isVisibleTo } from '../visibility/conditions.ts'
import { fullColor } from './colors.ts'

export interface ChannelParams {
  key: string
  name: string
  description: string
  color: string | undefined
}

/** The channels named in a request, without duplicates. */
export function channelParams(subscriptions: SubscribeParams['subscriptions']): ChannelParams[] {
  const requested = new Map<string, ChannelParams>()
  for (const { name, description = '', color } of subscriptions) {
    const text = checkChannelName(name)
    const key = channelKey(text)
    if (!requested.has(key))
      requested.set(key, {
        key,
        name: text,
        description: checkDescription(description),
        color: color && fullColor(color),
      })
  }
  return [...requested.values()]
}

/**
 * The requested channels that the caller cannot see, because they are missing or hidden. Archived channels keep their
 * names.
 */
export async function unseenChannels(db: Db, caller: Caller, requested: ChannelParams[]): Promise<ChannelParams[]> {
  const nameKeys = await column<string>(db)`
    select c.name_key from channels c
     where c.realm_id = ${caller.realm_id} and c.name_key = any(${requested.map(({ key }) => key)}::text[])
       and ${isVisibleTo(caller)}`
  const seen = new Set(nameKeys)
  return requested.filter(({ key }) => !seen.has(key))
}

export interface Opened {
  channels: Channel[]
  /** The subset of `channels` that this request created. */
  created: Channel[]
  /** Names of channels that the caller may not subscribe to. */
  unauthorized: string[]
}

export interface Opening {
  requested: ChannelParams[]
  /** The subset of `requested` that the caller cannot see, with rendered descriptions. Missing ones are created. */
  unseen: NewChannel[]
  params: SubscribeParams
  isForOthers: boolean
}

/**
 * Creates missing channels and locks all channels that the caller may subscribe to. The creator of a channel may add
 * any user. Names are unique, so creating a channel reveals whether a hidden one has the name. All other checks come
 * first and are the same for hidden and missing names, so that probing a name costs creating a visible channel.
 */
export async function openChannels(tx: Tx, caller: Caller, opening: Opening): Promise<Opened> {
  const createdIds = new Set(opening.unseen.length > 0 ? await createMissing(tx, caller, opening) : [])
  const locked = await lockChannels(
    tx.db,
    tx.realmId,
    opening.requested.map(({ key }) => key),
  )
  const subscribed = await subscribedAmong(tx.db, caller, locked)
  const isOpen = (channel: Channel) =>
    createdIds.has(channel.id) || mayJoin(caller, channel, subscribed.has(channel.id))
  const channels = locked.filter(isOpen)
  if (opening.isForOthers && !channels.every((channel) => createdIds.has(channel.id) || mayAddOthers(caller, channel)))
    throw new ApiError('Insufficient permission')
  const closed = new Set(locked.filter((channel) => !isOpen(channel)).map(({ name }) => channelKey(name)))
  if (closed.size > 0 && opening.params.authorization_errors_fatal) throw new UnableToAccess(opening, closed)
  const unauthorized = opening.requested.filter(({ key }) => closed.has(key)).map(({ name }) => name)
  return { channels, created: channels.filter(({ id }) => createdIds.has(id)), unauthorized }
}

/**
 * Spells names as the request does, because the spelling of a hidden channel's name is hidden too. Lists missing
 * channels as well, so that hidden ones cannot be distinguished from them; nothing is created in this case.
 */
class UnableToAccess extends ApiError {
  constructor({ requested, unseen }: Opening, closed: Set<string>) {
    const named = new Set([...closed, ...unseen.map(({ name }) => channelKey(name))])
    const names = requested.filter(({ key }) => named.has(key)).map(({ name }) => name)
    super(`Unable to access channel (${names.join(', ')})`)
  }
}

async function createMissing(tx: Tx, caller: Caller, { unseen, params }: Opening): Promise<number[]> {
  const settings = await accessNewChannelSettings(tx.db, caller, params)
  if (settings.folder_id !== null) await lockFolderRow(tx, settings.folder_id)
  await lockRow(tx, 'users', caller.id) // for the number of channels that a user may create
  const ids = await createChannels(tx, caller.realm, unseen, settings)
  await checkSharedLimit(tx, 'channels', caller.id)
  return ids
}

async function subscribedAmong(db: Db, caller: Caller, channels: Channel[]): Promise<Set<number>> {
  const channel_id = channels.map(({ id }) => id)
  const active = matches({ realm_id: caller.realm_id, user_id: caller.id, is_active: true, channel_id })
  return new Set(await columnOf(db.selectFrom('subscriptions').select('channel_id').where(active)))
}
