import type { GroupSettingValue } from '@parley/api/common'
import type { ServerEvent } from '@parley/api/events'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Audience } from '../../../events/log.ts'
import type { Tx } from '../../../events/transact.ts'
import { readSettingValues } from '../../../organization/groups/setting-value.ts'
import { findUsages, type Usage } from '../../../organization/groups/usage.ts'
import { matches } from '../../../platform/db/matches.ts'
import { column } from '../../../platform/db/query.ts'
import { type Channel, channelColumns } from '../access.ts'
import { readHolders, viewerAudience } from './channel-audience.ts'
import { readChannelViewers } from './channel-viewers.ts'

/**
 * Emits the permissions that name the user individually, after the account was deactivated or reactivated. With `only`,
 * emits to these users, and only what is visible to them.
 */
export async function emitPersonalPermissions(tx: Tx, realm: Realm, userId: number, only?: number[]): Promise<void> {
  const groups = await unnamedGroupsOf(tx, userId)
  const shown = await readSettingValues(tx.db, realm.id, groups)
  // Clients may list archived channels and deactivated groups too.
  for (const group of groups)
    for (const usage of await findUsages(tx.db, realm.id, group, { includeInactive: true }))
      await emitUsage(tx, usage, shown(group), only)
}

async function unnamedGroupsOf(tx: Tx, userId: number): Promise<number[]> {
  return column<number>(tx.db)`
    select g.id from group_members m join user_groups g on g.realm_id = m.realm_id and g.id = m.group_id
     where m.realm_id = ${tx.realmId} and m.user_id = ${userId} and g.name is null order by g.id`
}

async function emitUsage(tx: Tx, usage: Usage, value: GroupSettingValue, only?: number[]): Promise<void> {
  if (usage.type === 'subgroup') return
  if (usage.type === 'channel') return emitChannelPermission(tx, usage, value, only)
  const data = Object.fromEntries(usage.settings.map((name) => [name, value]))
  const audience: Audience = only ? { users: only } : { realm: 'everyone' }
  if (usage.type === 'realm') tx.emit({ type: 'realm', op: 'update_dict', property: 'default', data }, audience)
  else tx.emit({ type: 'user_group', op: 'update', group_id: usage.group_id, data }, audience)
}

async function emitChannelPermission(
  tx: Tx,
  { channel_id, settings }: Extract<Usage, { type: 'channel' }>,
  value: GroupSettingValue,
  only?: number[],
): Promise<void> {
  const channel = await tx.db
    .selectFrom('channels')
    .select(channelColumns)
    .where(matches({ realm_id: tx.realmId, id: channel_id }))
    .executeTakeFirstOrThrow()
  const audience = only
    ? await viewersAmong(tx, channel, only)
    : viewerAudience(channel, await readHolders(tx.db, tx.realmId, [channel]))
  for (const property of settings)
    tx.emit(
      { type: 'stream', op: 'update', stream_id: channel.id, name: channel.name, property, value } as ServerEvent,
      audience,
    )
}

async function viewersAmong(tx: Tx, channel: Channel, userIds: number[]): Promise<Audience> {
  const viewers = (await readChannelViewers(tx.db, [channel])).get(channel.id)!
  return { users: userIds.filter((id) => viewers.has(id)) }
}
