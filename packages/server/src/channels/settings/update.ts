import { type ChannelPermission, channelPermissionNames } from '@parley/api/channels'
import type { ServerEvent } from '@parley/api/events'
import { channelGroupSettings } from '@parley/api/settings'
import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import { lockFolderRow } from '../../folders/access.ts'
import { type Changed, changeSettings, deleteFormerGroups } from '../../groups/setting-change.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Realm } from '../../realms/state.ts'
import type { Channel } from '../access.ts'
import { postPolicy } from '../queries.ts'
import { readHolders, viewerAudience } from '../visibility/audience.ts'
import { emitViewerChanges, readChannelViewers } from '../visibility/channel-viewers.ts'
import { channelKey, checkChannelName } from './naming.ts'
import { retentionDays } from './permissions.ts'
import type { Privacy } from './privacy.ts'
import type { ChannelChanges, ManagedChannel } from './update-access.ts'

/** What is to change about a channel, everything checked. */
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

/** Sorts out what of a request changes something. */
export async function changesOf(
  tx: Tx,
  realm: Realm,
  channel: ManagedChannel,
  wanted: ChannelChanges,
  { privacy, rendered }: { privacy: Privacy | undefined; rendered: RenderedDescription | undefined },
): Promise<CheckedChanges> {
  const days = wanted.message_retention_days && retentionDays(wanted.message_retention_days)
  return {
    ...(rendered && rendered.description !== channel.description && rendered),
    ...(days !== undefined && days !== channel.message_retention_days && { message_retention_days: days }),
    ...(await newFolder(tx, channel, wanted.folder_id)),
    ...(privacy && { privacy }),
    permissions: await changeSettings(tx, realm, wantedPermissions(channel, wanted)),
    // Last: whoever learns that the name is free has renamed the channel, which everyone who knows it sees.
    ...(wanted.new_name !== undefined && { name: await checkNewName(tx, channel, wanted.new_name) }),
  }
}

/** No folder, or one that takes channels. */
async function newFolder(tx: Tx, channel: ManagedChannel, wanted: number | null | undefined) {
  if (wanted === undefined || wanted === channel.folder_id) return {}
  if (wanted !== null) await lockFolderRow(tx, wanted)
  return { folder_id: wanted }
}

/** A channel can change the spelling of its name, but not into what it is already. */
async function checkNewName(tx: Tx, channel: Channel, wanted: string): Promise<string> {
  const name = checkChannelName(wanted)
  if (name === channel.name) throw new ApiError('Channel already has that name.')
  const { rows } = await sql`
    select 1 from channels where realm_id = ${tx.realmId} and name_key = ${channelKey(name)} and id <> ${channel.id}`.execute(
    tx.db,
  )
  if (rows.length > 0) throw nameTaken(name)
  return name
}

function nameTaken(name: string): ApiError {
  return new ApiError(`Channel name '${name}' is already taken.`)
}

function wantedPermissions(channel: Channel, wanted: ChannelChanges) {
  return channelPermissionNames.flatMap((setting) => {
    const change = wanted[setting]
    return change ? [{ setting, declared: channelGroupSettings[setting], current: channel[setting], change }] : []
  })
}

/** Changes a channel that is locked, shows it to whom it opens, hides it from whom it closes, and tells the others. */
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
      .where('realm_id', '=', tx.realmId)
      .where('id', '=', channel.id)
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

/** Who may post is also told in the ways that older clients know it. */
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
