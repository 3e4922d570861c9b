import { type ChannelPermission, channelPermissionNames } from '@parley/api/conversations/channels'
import type { ServerEvent } from '@parley/api/events'
import { channelGroupSettings } from '@parley/api/permission-settings'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Tx } from '../../../events/transact.ts'
import { lockFolderRow } from '../../../organization/folders/access.ts'
import { type Changed, changeSettings, deleteFormerGroups } from '../../../organization/groups/setting-change.ts'
import { matches } from '../../../platform/db/matches.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { Channel } from '../access.ts'
import { postPolicy } from '../queries.ts'
import { readHolders, viewerAudience } from '../visibility/channel-audience.ts'
import { emitViewerChanges, readChannelViewers } from '../visibility/channel-viewers.ts'
import { channelKey, checkChannelName } from './channel-names.ts'
import { retentionDays } from './permissions.ts'
import type { Privacy } from './privacy.ts'
import type { ChannelChanges, ManagedChannel } from './update-access.ts'

/** The validated changes of a channel. */
export interface CheckedChanges {
  name?: string
  description?: string
  rendered_description?: string
  message_retention_days?: number | null
  folder_id?: number | null
  privacy?: Privacy
  permissions: Changed<ChannelPermission>[]
}

export interface RenderedDescription {
  description: string
  rendered_description: string
}

/** The changes in a request that differ from the current values. */
export async function changesOf(
  tx: Tx,
  realm: Realm,
  channel: ManagedChannel,
  params: ChannelChanges,
  { privacy, rendered }: { privacy: Privacy | undefined; rendered: RenderedDescription | undefined },
): Promise<CheckedChanges> {
  const days = params.message_retention_days && retentionDays(params.message_retention_days)
  return {
    ...(rendered && rendered.description !== channel.description && rendered),
    ...(days !== undefined && days !== channel.message_retention_days && { message_retention_days: days }),
    ...(await newFolder(tx, channel, params.folder_id)),
    ...(privacy && { privacy }),
    permissions: await changeSettings(tx, realm, permissionChanges(channel, params)),
    // Checked last: users can find out that a name is free only by renaming the channel, which its viewers see.
    ...(params.new_name !== undefined && { name: await checkNewName(tx, channel, params.new_name) }),
  }
}

/** Null removes the channel from its folder; archived folders are refused. */
async function newFolder(tx: Tx, channel: ManagedChannel, folderId: number | null | undefined) {
  if (folderId === undefined || folderId === channel.folder_id) return {}
  if (folderId !== null) await lockFolderRow(tx, folderId)
  return { folder_id: folderId }
}

/** Changing only the case of a name is allowed; an unchanged name is refused. */
async function checkNewName(tx: Tx, channel: Channel, newName: string): Promise<string> {
  const name = checkChannelName(newName)
  if (name === channel.name) throw new ApiError('Channel already has that name.')
  const same = tx.db.selectFrom('channels').where(matches({ realm_id: tx.realmId, name_key: channelKey(name) }))
  const found = await same.select('id').where('id', '!=', channel.id).executeTakeFirst()
  if (found) throw nameTaken(name)
  return name
}

function nameTaken(name: string): ApiError {
  return new ApiError(`Channel name '${name}' is already taken.`)
}

function permissionChanges(channel: Channel, params: ChannelChanges) {
  return channelPermissionNames.flatMap((setting) => {
    const change = params[setting]
    return change ? [{ setting, declared: channelGroupSettings[setting], current: channel[setting], change }] : []
  })
}

/**
 * Updates a locked channel. Users who gain or lose access receive create or delete events; the others receive updates.
 */
export async function changeChannel(
  tx: Tx,
  realm: Realm,
  channel: ManagedChannel,
  changes: CheckedChanges,
): Promise<ManagedChannel> {
  const before = await readChannelViewers(tx.db, [channel])
  const changed = await storeChanges(tx, channel, changes)
  await deleteFormerGroups(tx, changes.permissions)
  tx.emitInternal({ access: true })
  await emitViewerChanges(tx, realm, before, [changed])
  const audience = viewerAudience(changed, await readHolders(tx.db, realm.id, [changed]))
  for (const event of updateEvents(realm, channel, changes)) tx.emit(event, audience)
  return changed
}

async function storeChanges(tx: Tx, channel: ManagedChannel, changes: CheckedChanges): Promise<ManagedChannel> {
  const { privacy, permissions, ...texts } = changes
  const groups = Object.fromEntries(permissions.map(({ setting, group }) => [setting, group]))
  const columns = { ...texts, ...privacy, ...groups, ...(texts.name && { name_key: channelKey(texts.name) }) }
  if (Object.keys(columns).length === 0) return channel
  try {
    await tx.db
      .updateTable('channels')
      .set(columns)
      .where(matches({ realm_id: tx.realmId, id: channel.id }))
      .execute()
  } catch (error) {
    if ((error as { code?: string }).code === '23505') throw nameTaken(texts.name!)
    throw error
  }
  return { ...channel, ...texts, ...privacy, ...groups }
}

type UpdateEvent = Exclude<Extract<ServerEvent, { type: 'stream'; op: 'update' }>, { property: 'first_message_id' }>
type UpdateBody = Omit<UpdateEvent, 'type' | 'op' | 'stream_id' | 'name'>

function updateEvents(realm: Realm, channel: ManagedChannel, changes: CheckedChanges): UpdateEvent[] {
  const bodies: UpdateBody[] = []
  const { name, description, rendered_description, privacy, message_retention_days, folder_id } = changes
  if (name !== undefined) bodies.push({ property: 'name', value: name })
  if (description !== undefined)
    bodies.push({ property: 'description', value: description, rendered_description: rendered_description! })
  if (privacy) {
    const { invite_only, ...others } = privacy
    bodies.push({ property: 'invite_only', value: invite_only, ...others })
  }
  if (message_retention_days !== undefined)
    bodies.push({ property: 'message_retention_days', value: message_retention_days })
  if (folder_id !== undefined) bodies.push({ property: 'folder_id', value: folder_id })
  for (const one of changes.permissions) bodies.push(...permissionBodies(realm, one))
  return bodies.map(
    (body) => ({ type: 'stream', op: 'update', stream_id: channel.id, name: channel.name, ...body }) as UpdateEvent,
  )
}

/** Posting permissions are also emitted in the forms that older clients know. */
function permissionBodies(realm: Realm, { setting, before, group, value }: Changed<ChannelPermission>): UpdateBody[] {
  const own: UpdateBody = { property: setting, value }
  if (setting !== 'can_send_message_group') return [own]
  const { stream_post_policy, is_announcement_only } = postPolicy(realm, group)
  const changesPolicy = stream_post_policy !== postPolicy(realm, before).stream_post_policy
  return [
    own,
    ...(changesPolicy ? [{ property: 'stream_post_policy' as const, value: stream_post_policy }] : []),
    { property: 'is_announcement_only', value: is_announcement_only },
  ]
}
