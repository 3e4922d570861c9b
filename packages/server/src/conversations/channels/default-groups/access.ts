import { nameLimits } from '@parley/api/limits'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { accessOrganization } from '../../../people/users/organization-access.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { isPrintable, lengthOf } from '../../../platform/text.ts'
import { type Channel, canReadContent, findVisibleChannel, lockChannels } from '../access.ts'
import { channelKey } from '../settings/channel-names.ts'

export interface DefaultGroup {
  id: number
  name: string
  description: string
}

/** The caller must hold the lock of the organization (accessOrganization). */
export async function accessDefaultGroup(db: Db, realmId: number, id: number): Promise<DefaultGroup> {
  const group = await db
    .selectFrom('default_channel_groups')
    .select(['id', 'name', 'description'])
    .where(matches({ realm_id: realmId, id }))
    .executeTakeFirst()
  if (!group) throw new ApiError(`Default channel group with id '${id}' does not exist.`)
  return group
}

/** The administrator and the named channels, locked in this order so that the channels stay public. */
export async function accessNamedChannels(
  tx: Tx,
  caller: Caller,
  names: string[],
): Promise<{ actor: Caller; channels: Channel[] }> {
  await lockChannels(tx.db, tx.realmId, names.map(channelKey))
  const actor = await accessOrganization(tx, caller)
  const channels = new Map<number, Channel>()
  for (const name of names) {
    const channel = await accessNamedChannel(tx.db, actor, name)
    channels.set(channel.id, channel)
  }
  return { actor, channels: [...channels.values()] }
}

async function accessNamedChannel(db: Db, actor: Caller, name: string): Promise<Channel> {
  const channel = await findVisibleChannel(db, actor, name)
  if (!channel || channel.is_archived || !(await canReadContent(db, actor, channel)))
    throw new ApiError(`Invalid channel name '${name}'`)
  return channel
}

export function checkGroupName(name: string): string {
  const text = name.trim()
  if (text === '' || !isPrintable(text)) throw new ApiError(`Invalid default channel group name '${text}'`)
  if (lengthOf(text) > nameLimits.defaultGroup)
    throw new ApiError(`Default channel group name too long (limit: ${nameLimits.defaultGroup} characters)`)
  return text
}

export function checkGroupDescription(description: string): string {
  const text = description.trim()
  if (lengthOf(text) > nameLimits.defaultGroupDescription)
    throw new ApiError(
      `Default channel group description too long (limit: ${nameLimits.defaultGroupDescription} characters)`,
    )
  return text
}
