import type { GroupSettingValue } from '@parley/api/common'
import { type ChannelPermission, channelPermissionNames } from '@parley/api/conversations/channels'
import { sql } from 'kysely'
import type { Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { createUnnamedGroups } from '../../organization/groups/actions.ts'
import type { UnnamedGroup } from '../../organization/groups/setting-value.ts'
import { checkSharedLimit } from '../../organization/realms/snapshot-limits.ts'
import { readDefaultChannelIds } from './queries.ts'
import { channelKey } from './settings/channel-names.ts'

export interface NewChannel {
  name: string
  description: string
  rendered_description: string
}

/** The settings shared by all channels that a request creates. */
export interface NewChannelSettings {
  creator_id: number | null
  invite_only: boolean
  is_web_public: boolean
  history_public_to_subscribers: boolean
  message_retention_days: number | null
  folder_id: number | null
  permissions: Record<ChannelPermission, GroupSettingValue>
}

/** Creates channels and returns their ids. Skips names that a concurrent request takes first. */
export async function createChannels(
  tx: Tx,
  realm: Realm,
  newChannels: NewChannel[],
  settings: NewChannelSettings,
): Promise<number[]> {
  const ids = await insertChannels(tx, realm, newChannels, settings)
  if (ids.length === 0) return ids
  for (const permission of channelPermissionNames) {
    const value = settings.permissions[permission]
    if (typeof value !== 'number') await setUnnamedGroups(tx, realm, ids, permission, value)
  }
  await tx.audit(settings.creator_id, 'channels_created', { channel_ids: ids })
  return ids
}

async function insertChannels(
  tx: Tx,
  realm: Realm,
  newChannels: NewChannel[],
  { permissions, ...settings }: NewChannelSettings,
): Promise<number[]> {
  // Sorted by name, so that concurrent requests for the same channels do not deadlock.
  const inOrder = newChannels.map((one) => ({ ...one, name_key: channelKey(one.name) })).sort(byKey)
  const rows = await tx.db
    .insertInto('channels')
    .values(inOrder.map((one) => ({ realm_id: realm.id, ...one, ...settings, ...namedGroups(realm, permissions) })))
    .onConflict((conflict) => conflict.columns(['realm_id', 'name_key']).doNothing())
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

function byKey(a: { name_key: string }, b: { name_key: string }): number {
  return a.name_key < b.name_key ? -1 : 1
}

/** Each channel gets its own unnamed groups. Until they are created, nobody holds the permission. */
function namedGroups(realm: Realm, permissions: NewChannelSettings['permissions']): Record<ChannelPermission, number> {
  const nobody = realm.systemGroups['role:nobody']
  const entries = channelPermissionNames.map((name) => {
    const value = permissions[name]
    return [name, typeof value === 'number' ? value : nobody]
  })
  return Object.fromEntries(entries) as Record<ChannelPermission, number>
}

async function setUnnamedGroups(
  tx: Tx,
  realm: Realm,
  ids: number[],
  permission: ChannelPermission,
  value: UnnamedGroup,
): Promise<void> {
  const groups = await createUnnamedGroups(
    tx,
    realm,
    ids.map(() => value),
  )
  await sql`
    update channels c set ${sql.ref(permission)} = made.group_id
      from unnest(${ids}::bigint[], ${groups}::bigint[]) as made(channel_id, group_id)
     where c.realm_id = ${realm.id} and c.id = made.channel_id`.execute(tx.db)
}

export async function addDefaultChannels(tx: Tx, ids: number[]): Promise<void> {
  await tx.db
    .insertInto('default_channels')
    .values(ids.map((channel_id) => ({ realm_id: tx.realmId, channel_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await checkSharedLimit(tx, 'default_channels')
  const default_streams = await readDefaultChannelIds(tx.db, tx.realmId)
  tx.emit({ type: 'default_streams', default_streams }, { realm: 'members' })
}
