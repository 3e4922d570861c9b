import { type GroupSettingValue, roles } from '@parley/api/common'
import { channelPermissionNames } from '@parley/api/conversations/channels'
import type * as api from '@parley/api/conversations/subscriptions'
import type { ParamsOf } from '@parley/api/operation'
import { channelGroupSettings } from '@parley/api/permission-settings'
import { isAdmin, isGuest, mayInRealm } from '@parley/api/permissions'
import type { Caller } from '../../../callers/caller.ts'
import { checkSettingValue } from '../../../organization/groups/setting-value.ts'
import type { Database } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { NewChannelSettings } from '../create.ts'
import { checkWebPublic } from './privacy.ts'

export type SubscribeParams = ParamsOf<typeof api.subscribe>

/** The settings of the channels that a request creates. Throws unless the caller may create such channels. */
export async function accessNewChannelSettings(
  db: Database,
  caller: Caller,
  params: SubscribeParams,
): Promise<NewChannelSettings> {
  checkMayCreate(caller, params)
  return {
    creator_id: caller.id,
    invite_only: params.invite_only,
    is_web_public: params.is_web_public,
    history_public_to_subscribers: sharesHistory(params),
    message_retention_days: retentionDays(params.message_retention_days),
    folder_id: params.folder_id ?? null,
    permissions: await permissionsOf(db, caller, params),
  }
}

/** Called before anything is computed for new channels, and again for the caller as they are when these are created. */
export function checkMayCreate(caller: Caller, params: SubscribeParams): void {
  if (params.invite_only && params.is_web_public) throw new ApiError('A private channel cannot be web-public.')
  checkWebPublic(caller.realm, params.is_web_public)
  const kind = params.is_web_public ? 'web_public' : params.invite_only ? 'private' : 'public'
  if (isGuest(caller) || !mayInRealm(caller, caller.realm, `can_create_${kind}_channel_group`))
    throw new ApiError('You do not have permission to create this type of channel.')
  if (params.is_default_stream && !isAdmin(caller))
    throw new ApiError('Only administrators can create default channels.', 'UNAUTHORIZED_PRINCIPAL')
  if (params.is_default_stream && params.invite_only) throw new ApiError('A default channel cannot be private.')
  if (params.message_retention_days !== 'realm_default' && caller.role !== roles.owner)
    throw new ApiError('Only owners can set message retention.', 'UNAUTHORIZED_PRINCIPAL')
}

/**
 * Only private channels can have protected history, which is their default. Clients send the parameter for other
 * channels too; it is ignored there.
 */
function sharesHistory({ invite_only, history_public_to_subscribers }: SubscribeParams): boolean {
  return !invite_only || history_public_to_subscribers === true
}

export function retentionDays(value: SubscribeParams['message_retention_days']): number | null {
  if (value === 'realm_default') return null
  return value === 'unlimited' ? -1 : value
}

async function permissionsOf(
  db: Database,
  caller: Caller,
  params: SubscribeParams,
): Promise<NewChannelSettings['permissions']> {
  const permissions: Record<string, GroupSettingValue> = defaultPermissions(caller)
  for (const setting of channelPermissionNames) {
    const value = params[setting]
    if (value === undefined) continue
    const declared = channelGroupSettings[setting]
    permissions[setting] = await checkSettingValue(db, caller.realm, { setting, declared, value })
  }
  return permissions as NewChannelSettings['permissions']
}

/** By default, the creator administers the channel. */
export function defaultPermissions({ id, realm }: Pick<Caller, 'id' | 'realm'>): NewChannelSettings['permissions'] {
  const entries = channelPermissionNames.map((name) => [name, realm.systemGroups[channelGroupSettings[name].default]])
  return {
    ...(Object.fromEntries(entries) as Record<(typeof channelPermissionNames)[number], number>),
    can_administer_channel_group: { direct_members: [id], direct_subgroups: [] },
  }
}
