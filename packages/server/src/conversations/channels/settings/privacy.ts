import type { updateChannel } from '@parley/api/conversations/channels'
import type { ParamsOf } from '@parley/api/operation'
import type { Realm } from '../../../callers/realm-state.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { Channel } from '../access.ts'

/** Who may read a channel, and whether new subscribers see its history. */
export type Privacy = Pick<Channel, 'invite_only' | 'is_web_public' | 'history_public_to_subscribers'>

type PrivacyParams = Pick<
  ParamsOf<typeof updateChannel>,
  'is_private' | 'is_web_public' | 'history_public_to_subscribers'
>

/** The new privacy of a channel, or undefined if it does not change. */
export function newPrivacy(channel: Channel, params: PrivacyParams): Privacy | undefined {
  const is_web_public = params.is_web_public ?? (params.is_private !== true && channel.is_web_public)
  const invite_only = params.is_private ?? (!is_web_public && channel.invite_only)
  const history_public_to_subscribers = params.history_public_to_subscribers ?? sharesHistory(channel, invite_only)
  checkKind({ invite_only, is_web_public, history_public_to_subscribers })
  const isSame =
    invite_only === channel.invite_only &&
    is_web_public === channel.is_web_public &&
    history_public_to_subscribers === channel.history_public_to_subscribers
  return isSame ? undefined : { invite_only, is_web_public, history_public_to_subscribers }
}

/** A channel that becomes private protects its history; a private channel keeps its setting. */
function sharesHistory(channel: Channel, invite_only: boolean): boolean {
  return !invite_only || (channel.invite_only && channel.history_public_to_subscribers)
}

function checkKind({ invite_only, is_web_public, history_public_to_subscribers }: Privacy): void {
  if (invite_only && is_web_public) throw new ApiError('A private channel cannot be web-public.')
  if (!invite_only && !history_public_to_subscribers)
    throw new ApiError('Only private channels can have protected history.')
}

/** Throws if a channel would become web-public where the organization does not allow that. */
export function checkWebPublic({ settings }: Realm, isWebPublic: boolean): void {
  if (isWebPublic && !settings.enable_spectator_access) throw new ApiError('Web-public channels are not enabled.')
}

export function kindOf({ invite_only, is_web_public }: Privacy): 'web_public' | 'private' | 'public' {
  return is_web_public ? 'web_public' : invite_only ? 'private' : 'public'
}
