import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import { lockFolderRow } from '../../folders/access.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Caller } from '../../users/caller.ts'
import { type Channel, lockChannels } from '../access.ts'
import { createChannels, type NewChannel } from '../create.ts'
import { channelKey, checkChannelName, checkDescription } from '../settings/naming.ts'
import { accessNewChannelSettings, mayAddOthers, mayJoin, type SubscribeParams } from '../settings/permissions.ts'
import { isVisibleTo } from '../visibility/conditions.ts'
import { fullColor } from './colors.ts'

export interface ChannelParams {
  key: string
  name: string
  description: string
  color: string | undefined
}

/** The channels a request names, each once. */
export function channelParams(subscriptions: SubscribeParams['subscriptions']): ChannelParams[] {
  const wanted = new Map<string, ChannelParams>()
  for (const { name, description = '', color } of subscriptions) {
    const text = checkChannelName(name)
    const key = channelKey(text)
    if (!wanted.has(key))
      wanted.set(key, { key, name: text, description: checkDescription(description), color: color && fullColor(color) })
  }
  return [...wanted.values()]
}

/** Those that do not exist, as far as the caller may know. Archived channels keep their names. */
export async function unseenChannels(db: Db, caller: Caller, wanted: ChannelParams[]): Promise<ChannelParams[]> {
  const { rows } = await sql<{ name_key: string }>`
    select c.name_key from channels c
     where c.realm_id = ${caller.realm_id} and c.name_key = any(${wanted.map(({ key }) => key)}::text[])
       and ${isVisibleTo(caller)}`.execute(db)
  const seen = new Set(rows.map(({ name_key }) => name_key))
  return wanted.filter(({ key }) => !seen.has(key))
}

export interface Opened {
  channels: Channel[]
  /** Those of the channels that are new. */
  created: Channel[]
  /** Names of channels that are closed to the request. */
  unauthorized: string[]
}

export interface Opening {
  wanted: ChannelParams[]
  /** Those of them that the caller cannot see, to be created where they are missing, with their descriptions rendered. */
  unseen: NewChannel[]
  params: SubscribeParams
  isForOthers: boolean
}

/**
 * Creates the missing channels and locks all that are open to the caller; to those they create they may add anybody.
 * Names are unique, so trying to create a channel tells whether a hidden one has the name. Every other check comes
 * first and is the same for both, so that nobody can find out without creating a channel that others see.
 */
export async function openChannels(tx: Tx, caller: Caller, opening: Opening): Promise<Opened> {
  const made = new Set(opening.unseen.length > 0 ? await makeMissing(tx, caller, opening) : [])
  const locked = await lockChannels(
    tx.db,
    tx.realmId,
    opening.wanted.map(({ key }) => key),
  )
  const subscribed = await subscribedAmong(tx.db, caller, locked)
  const isOpen = (channel: Channel) => made.has(channel.id) || mayJoin(caller, channel, subscribed.has(channel.id))
  const channels = locked.filter(isOpen)
  if (opening.isForOthers && !channels.every((channel) => made.has(channel.id) || mayAddOthers(caller, channel)))
    throw new ApiError('Insufficient permission')
  const closed = new Set(locked.filter((channel) => !isOpen(channel)).map(({ name }) => channelKey(name)))
  if (closed.size > 0 && opening.params.authorization_errors_fatal) throw new UnableToAccess(opening, closed)
  const unauthorized = opening.wanted.filter(({ key }) => closed.has(key)).map(({ name }) => name)
  return { channels, created: channels.filter(({ id }) => made.has(id)), unauthorized }
}

/**
 * Names channels as the request spells them: the right spelling of a hidden channel's name is hidden too. Nothing is
 * created in this case, so missing channels are named as well, or they could be told apart from hidden ones.
 */
class UnableToAccess extends ApiError {
  constructor({ wanted, unseen }: Opening, closed: Set<string>) {
    const named = new Set([...closed, ...unseen.map(({ name }) => channelKey(name))])
    const names = wanted.filter(({ key }) => named.has(key)).map(({ name }) => name)
    super(`Unable to access channel (${names.join(', ')})`)
  }
}

async function makeMissing(tx: Tx, caller: Caller, { unseen, params }: Opening): Promise<number[]> {
  const settings = await accessNewChannelSettings(tx.db, caller, params)
  if (settings.folder_id !== null) await lockFolderRow(tx, settings.folder_id)
  return createChannels(tx, caller.realm, unseen, settings)
}

async function subscribedAmong(db: Db, caller: Caller, channels: Channel[]): Promise<Set<number>> {
  const { rows } = await sql<{ channel_id: number }>`
    select channel_id from subscriptions
     where realm_id = ${caller.realm_id} and user_id = ${caller.id} and is_active
       and channel_id = any(${channels.map(({ id }) => id)}::bigint[])`.execute(db)
  return new Set(rows.map(({ channel_id }) => channel_id))
}
