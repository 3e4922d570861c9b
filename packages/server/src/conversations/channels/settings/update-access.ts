import { mayAdminister } from '@parley/api/channel-permissions'
import { roles } from '@parley/api/common'
import type { updateChannel } from '@parley/api/conversations/channels'
import type { ParamsOf } from '@parley/api/operation'
import { isAdmin, isGuest, mayInRealm } from '@parley/api/permissions'
import type { Caller } from '../../../callers/caller.ts'
import { lockRow } from '../../../events/lock-row.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { type Channel, canReadContent, canSeeChannel, channelColumns, InvalidChannelId } from '../access.ts'
import { checkWebPublic, kindOf, newPrivacy, type Privacy } from './privacy.ts'

export type ChannelChanges = ParamsOf<typeof updateChannel>

/** A channel with all columns that can be updated. */
export interface ManagedChannel extends Channel {
  description: string
  message_retention_days: number | null
  folder_id: number | null
}

/** Loads and locks a channel that the caller may update. */
export async function accessManagedChannel(tx: Tx, caller: Caller, id: number): Promise<ManagedChannel> {
  const channel = await managedChannel(tx.db, caller, id).forNoKeyUpdate().executeTakeFirst()
  return checkManaged(tx.db, caller, channel)
}

/** Throws unless the caller may update the channel: before anything is computed for the update. */
export async function checkMayManage(db: Db, caller: Caller, id: number): Promise<void> {
  await checkManaged(db, caller, await managedChannel(db, caller, id).executeTakeFirst())
}

function managedChannel(db: Db, { realm_id }: Caller, id: number) {
  return db
    .selectFrom('channels')
    .select([...channelColumns, 'description', 'message_retention_days', 'folder_id'])
    .where(matches({ realm_id, id }))
}

/** A hidden channel fails exactly like a missing one. */
async function checkManaged(db: Db, caller: Caller, channel: ManagedChannel | undefined): Promise<ManagedChannel> {
  if (!channel || !(await canSeeChannel(db, caller, channel))) throw new InvalidChannelId()
  if (!mayAdminister(caller, channel)) throw new ApiError('You do not have permission to administer this channel.')
  return channel
}

/** Throws unless the caller may make these changes. Returns the new privacy if it changes. */
export async function checkChanges(
  db: Db,
  caller: Caller,
  channel: ManagedChannel,
  changes: ChannelChanges,
): Promise<Privacy | undefined> {
  if (changes.is_default_stream !== undefined && !isAdmin(caller)) throw mustBe('administrator')
  if (changes.message_retention_days !== undefined && caller.role !== roles.owner) throw mustBe('owner')
  const privacy = newPrivacy(channel, changes)
  if (privacy?.is_web_public && !channel.is_web_public) checkOpens(caller, channel)
  if (privacy) checkNewKind(caller, privacy)
  const opens = privacy ?? changes.can_add_subscribers_group ?? changes.can_subscribe_group
  if (opens && !(await canReadContent(db, caller, channel))) throw new ApiError('Channel content access is required.')
  await checkDefault(db, channel, privacy ?? channel, changes)
  if (privacy && !privacy.invite_only) checkNotForModerators(caller, channel)
  return privacy
}

/** What was written under the promise of protected history does not reach the web by one change. */
function checkOpens({ realm }: Caller, { history_public_to_subscribers }: Channel): void {
  checkWebPublic(realm, true)
  if (!history_public_to_subscribers)
    throw new ApiError('This channel has protected history. Make it public first, then open it to the web.')
}

function checkNotForModerators({ realm }: Caller, { id }: Channel): void {
  if (realm.settings.moderation_request_channel_id === id)
    throw new ApiError('Moderation request channel must be private.')
}

function mustBe(what: 'administrator' | 'owner'): ApiError {
  return new ApiError(`Must be an organization ${what}`, 'UNAUTHORIZED_PRINCIPAL')
}

function checkNewKind(caller: Caller, privacy: Privacy): void {
  if (isGuest(caller) || !mayInRealm(caller, caller.realm, `can_create_${kindOf(privacy)}_channel_group`))
    throw new ApiError('Insufficient permission')
}

async function checkDefault(
  db: Db,
  { id, realm_id }: Channel,
  { invite_only }: Privacy,
  changes: ChannelChanges,
): Promise<void> {
  if (!invite_only) return
  const becomesDefault = changes.is_default_stream ?? (await isDefaultChannel(db, realm_id, id))
  if (becomesDefault) throw new ApiError('A default channel cannot be private.')
  if (await isInDefaultGroup(db, realm_id, id))
    throw new ApiError('A channel of a default channel group cannot be private. Remove it from the group first.')
}

async function isInDefaultGroup(db: Db, realm_id: number, channel_id: number): Promise<boolean> {
  const same = matches({ realm_id, channel_id })
  const groups = db.selectFrom('default_channel_group_channels').select('group_id').where(same)
  return (await groups.executeTakeFirst()) !== undefined
}

export async function isDefaultChannel(db: Db, realmId: number, id: number): Promise<boolean> {
  const same = matches({ realm_id: realmId, channel_id: id })
  return (await db.selectFrom('default_channels').select('channel_id').where(same).executeTakeFirst()) !== undefined
}

/** Prevents a concurrent request from making the channel private or archiving it. */
export async function lockChannel(tx: Tx, id: number): Promise<void> {
  await lockRow(tx, 'channels', id)
}
