import { hash } from 'node:crypto'
import { canReadUnsubscribed, readingPermissions } from '@parley/api/channel-permissions'
import { isAdmin, mayInChannel } from '@parley/api/permissions'
import { type Selectable, sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { RealmCache } from '../../callers/realm-cache.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { many, one } from '../../platform/db/query.ts'
import type { Channels } from '../../platform/db/tables.generated.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { channelKey } from './settings/channel-names.ts'

/** The columns of a channel that permission checks need. */
export const channelColumns = [
  'id',
  'realm_id',
  'recipient_id',
  'name',
  'creator_id',
  'invite_only',
  'is_web_public',
  'history_public_to_subscribers',
  'is_archived',
  'can_add_subscribers_group',
  'can_administer_channel_group',
  'can_remove_subscribers_group',
  'can_send_message_group',
  'can_subscribe_group',
] as const
/** The same columns for SQL. */
export const channelColumnList = sql.join(channelColumns.map((name) => sql.ref(name)))

export type Channel = Pick<Selectable<Channels>, (typeof channelColumns)[number]>

/** Permissions that let them know that it exists and who is subscribed. */
export const viewingPermissions = [...readingPermissions, 'can_administer_channel_group'] as const

export class InvalidChannelId extends ApiError {
  constructor() {
    super('Invalid channel ID')
  }
}

const channelsById = new RealmCache<number, Channel | 'missing'>({ entries: 20_000 })
const channelsByName = new RealmCache<string, Channel | 'missing'>({ entries: 20_000 })
/** Keys are `<user id> <channel id>`. */
const subscribed = new RealmCache<`${number} ${number}`, boolean>({ entries: 50_000 })

function selectChannels(db: Db) {
  return db.selectFrom('channels').select(channelColumns)
}

/** A channel that is not archived, without a visibility check. */
export function findActiveChannel(db: Db, realm_id: number, id: number): Promise<Channel | undefined> {
  const active = matches({ realm_id, id, is_archived: false })
  return selectChannels(db).where(active).executeTakeFirst()
}

/**
 * A channel of the caller's realm, without a visibility check. For checks only: never return it to a client. Missing
 * channels are cached too, so that they take as long to look up as hidden ones.
 */
export function findChannel(
  db: Db,
  { state, realm_id }: Caller,
  id: number,
): Channel | undefined | Promise<Channel | undefined> {
  const found = channelsById.getOrLoad(state, id, async () => {
    const row = await selectChannels(db).where(matches({ id, realm_id })).executeTakeFirst()
    return row ?? 'missing'
  })
  return found instanceof Promise ? found.then(unlessMissing) : unlessMissing(found)
}

function unlessMissing(found: Channel | 'missing'): Channel | undefined {
  return found === 'missing' ? undefined : found
}

/** Like findChannel. */
export async function findChannelByName(
  db: Db,
  { state, realm_id }: Caller,
  name: string,
): Promise<Channel | undefined> {
  const key = channelKey(name)
  const found = await channelsByName.getOrLoad(state, key, async () => {
    const named = matches({ realm_id, name_key: key })
    const row = await selectChannels(db).where(named).executeTakeFirst()
    return row ?? 'missing'
  })
  return unlessMissing(found)
}

/** The channel with this name, if it is visible to the caller. */
export async function findVisibleChannel(db: Db, caller: Caller, name: string): Promise<Channel | undefined> {
  const found = await findChannelByName(db, caller, name)
  return (await canSeeChannel(db, caller, found ?? absentChannel(caller, name))) ? found : undefined
}

/**
 * A stand-in for a missing channel: private and without subscribers. Checks run the same queries for it as for a hidden
 * channel, so that their duration does not reveal whether a private channel has this name.
 */
export function absentChannel({ realm, realm_id }: Caller, idOrName: number | string): Channel {
  const nobody = realm.systemGroups['role:nobody']
  const [id, name] = typeof idOrName === 'number' ? [idOrName, ''] : [unusedId(idOrName), idOrName]
  return {
    id,
    realm_id,
    recipient_id: 0,
    name,
    creator_id: null,
    invite_only: true,
    is_web_public: false,
    history_public_to_subscribers: false,
    is_archived: false,
    can_add_subscribers_group: nobody,
    can_administer_channel_group: nobody,
    can_remove_subscribers_group: nobody,
    can_send_message_group: realm.systemGroups['role:everyone'],
    can_subscribe_group: nobody,
  }
}

/** Differs per name, because the results of checks are cached by id. */
function unusedId(name: string): number {
  return -Number.parseInt(hash('md5', channelKey(name)).slice(0, 12), 16)
}

/**
 * Locks channels, found by name key. Their subscribers and permissions change only while the lock is held. For checks
 * only, like findChannel.
 */
export async function lockChannels(db: Database, realmId: number, keys: string[]): Promise<Channel[]> {
  const named = selectChannels(db).where(matches({ realm_id: realmId, name_key: keys }))
  return named.orderBy('id').forNoKeyUpdate().execute()
}

/** Locks the channels that a new user is subscribed to: those of the invitation, and the default channels. */
export function lockFirstChannels(
  db: Database,
  realmId: number,
  channelIds: number[],
  includeDefaults: boolean,
): Promise<Channel[]> {
  return many<Channel>(db)`
    select ${channelColumnList} from channels
     where realm_id = ${realmId} and not is_archived
       and (id = any(${channelIds}::bigint[])
            or ${includeDefaults} and id in (select channel_id from default_channels where realm_id = ${realmId}))
     order by id for no key update`
}

export function isSubscribed(
  db: Db,
  { state, realm_id }: Caller,
  userId: number,
  channelId: number,
): boolean | Promise<boolean> {
  return subscribed.getOrLoad(state, `${userId} ${channelId}`, async () => {
    const { yes } = await one<{ yes: boolean }>(db)`
      select exists (select 1 from subscriptions where realm_id = ${realm_id} and user_id = ${userId}
                        and channel_id = ${channelId} and is_active) as yes`
    return yes
  })
}

/** Whether the caller may read the channel's messages, protected history aside. */
export async function canReadContent(db: Db, caller: Caller, channel: Channel): Promise<boolean> {
  return canReadUnsubscribed(caller, channel) || (await isSubscribed(db, caller, caller.id, channel.id))
}

/** Whether the caller may know that the channel exists and who is subscribed to it. */
export async function canSeeChannel(db: Db, caller: Caller, channel: Channel): Promise<boolean> {
  if (isAdmin(caller) || viewingPermissions.some((permission) => mayInChannel(caller, channel, permission))) return true
  return canReadContent(db, caller, channel)
}

/** A channel whose content the caller may read. A hidden channel fails exactly like a missing one. */
export async function accessChannel(db: Db, caller: Caller, id: number): Promise<Channel> {
  const channel = await findChannel(db, caller, id)
  const isReadable = await canReadContent(db, caller, channel ?? absentChannel(caller, id))
  if (!channel || channel.is_archived || !isReadable) throw new InvalidChannelId()
  return channel
}

/** A channel that is visible to the caller, archived or not. */
export async function accessChannelMetadata(db: Db, caller: Caller, id: number): Promise<Channel> {
  const channel = await findChannel(db, caller, id)
  const isVisible = await canSeeChannel(db, caller, channel ?? absentChannel(caller, id))
  if (!channel || !isVisible) throw new InvalidChannelId()
  return channel
}
