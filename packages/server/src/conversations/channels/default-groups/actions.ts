import { storageLimits } from '@parley/api/limits'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { columnOf } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { Channel } from '../access.ts'
import { readDefaultChannelIds } from '../queries.ts'
import type { DefaultGroup } from './access.ts'
import { readDefaultGroups } from './queries.ts'

// The caller of these functions must hold the lock of the organization (accessOrganization), which serializes changes.

export async function createDefaultGroup(
  tx: Tx,
  actor: Caller,
  texts: Omit<DefaultGroup, 'id'>,
  channels: Channel[],
): Promise<void> {
  await checkFreeName(tx, texts.name)
  await checkLimit(tx)
  const group = await tx.db
    .insertInto('default_channel_groups')
    .values({ realm_id: tx.realmId, ...texts })
    .returning(['id', 'name', 'description'])
    .executeTakeFirstOrThrow()
  await insertChannels(tx, group, channels)
  await emitDefaultGroups(tx)
  const channel_ids = channels.map(({ id }) => id)
  await tx.audit(actor.id, 'default_channel_group_created', { group_id: group.id, name: group.name, channel_ids })
}

export async function updateDefaultGroup(
  tx: Tx,
  actor: Caller,
  { id, ...before }: DefaultGroup,
  changes: Partial<Omit<DefaultGroup, 'id'>>,
): Promise<void> {
  if (changes.name === before.name) throw new ApiError(`This default channel group is already named '${before.name}'`)
  if (changes.name !== undefined) await checkFreeName(tx, changes.name)
  await tx.db
    .updateTable('default_channel_groups')
    .set(changes)
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
  await emitDefaultGroups(tx)
  await tx.audit(actor.id, 'default_channel_group_updated', { group_id: id, ...changes })
}

export async function addGroupChannels(tx: Tx, actor: Caller, group: DefaultGroup, channels: Channel[]) {
  const known = new Set(await readChannelIds(tx, group.id))
  for (const { id, name } of channels)
    if (known.has(id))
      throw new ApiError(`Channel '${name}' is already present in default channel group '${group.name}'`)
  await insertChannels(tx, group, channels)
  await emitDefaultGroups(tx)
  const channel_ids = channels.map(({ id }) => id)
  await tx.audit(actor.id, 'default_channel_group_channels_added', { group_id: group.id, channel_ids })
}

export async function removeGroupChannels(tx: Tx, actor: Caller, group: DefaultGroup, channels: Channel[]) {
  const known = new Set(await readChannelIds(tx, group.id))
  for (const { id, name } of channels)
    if (!known.has(id)) throw new ApiError(`Channel '${name}' is not present in default channel group '${group.name}'`)
  const channel_id = channels.map(({ id }) => id)
  await tx.db
    .deleteFrom('default_channel_group_channels')
    .where(matches({ realm_id: tx.realmId, group_id: group.id, channel_id }))
    .execute()
  await emitDefaultGroups(tx)
  await tx.audit(actor.id, 'default_channel_group_channels_removed', { group_id: group.id, channel_ids: channel_id })
}

export async function deleteDefaultGroup(tx: Tx, actor: Caller, { id, name }: DefaultGroup): Promise<void> {
  await tx.db
    .deleteFrom('default_channel_groups')
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
  await emitDefaultGroups(tx)
  await tx.audit(actor.id, 'default_channel_group_deleted', { group_id: id, name })
}

/** Removes a channel that is being archived from all groups. */
export async function removeFromDefaultGroups(tx: Tx, channelId: number): Promise<void> {
  const removed = await tx.db
    .deleteFrom('default_channel_group_channels')
    .where(matches({ realm_id: tx.realmId, channel_id: channelId }))
    .returning('group_id')
    .executeTakeFirst()
  if (removed) await emitDefaultGroups(tx)
}

/** Guests do not get the groups. */
async function emitDefaultGroups(tx: Tx): Promise<void> {
  const default_stream_groups = await readDefaultGroups(tx.db, tx.realmId)
  tx.emit({ type: 'default_stream_groups', default_stream_groups }, { realm: 'members' })
}

async function checkFreeName(tx: Tx, name: string): Promise<void> {
  const same = matches({ realm_id: tx.realmId, name })
  const found = await tx.db.selectFrom('default_channel_groups').select('id').where(same).executeTakeFirst()
  if (found) throw new ApiError(`Default channel group '${name}' already exists`)
}

async function checkLimit(tx: Tx): Promise<void> {
  const ids = await columnOf(tx.db.selectFrom('default_channel_groups').select('id').where('realm_id', '=', tx.realmId))
  if (ids.length >= storageLimits.defaultChannelGroups)
    throw new ApiError(
      `An organization can have at most ${storageLimits.defaultChannelGroups} default channel groups. Delete one first.`,
    )
}

/** Everyone is subscribed to default channels anyway; private channels are not for everyone who joins. */
async function insertChannels(tx: Tx, { id, name }: DefaultGroup, channels: Channel[]): Promise<void> {
  const defaults = new Set(await readDefaultChannelIds(tx.db, tx.realmId))
  for (const channel of channels) {
    if (channel.invite_only) throw new ApiError('Private channels cannot be made default.')
    if (defaults.has(channel.id))
      throw new ApiError(`'${channel.name}' is a default channel and cannot be added to '${name}'`)
  }
  await sql`
    insert into default_channel_group_channels (realm_id, group_id, channel_id)
    select ${tx.realmId}, ${id}, * from unnest(${channels.map((one) => one.id)}::bigint[])`.execute(tx.db)
  if ((await readChannelIds(tx, id)).length > storageLimits.channelsPerDefaultChannelGroup)
    throw new ApiError(
      `A default channel group can have at most ${storageLimits.channelsPerDefaultChannelGroup} channels. Create another one.`,
    )
}

function readChannelIds(tx: Tx, groupId: number): Promise<number[]> {
  const within = matches({ realm_id: tx.realmId, group_id: groupId })
  return columnOf(tx.db.selectFrom('default_channel_group_channels').select('channel_id').where(within))
}
