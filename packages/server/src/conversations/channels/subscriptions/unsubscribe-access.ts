import { mayRemoveOthers } from '@parley/api/channel-permissions'
import type { Caller } from '../../../callers/caller.ts'
import type { FoundUser } from '../../../people/users/find-users.ts'
import type { Database } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { absentChannel, type Channel, canSeeChannel, lockChannels } from '../access.ts'
import { channelKey } from '../settings/channel-names.ts'

/** Locks the channels to unsubscribe users from. Throws unless the caller may do that. */
export async function accessUnsubscribe(
  db: Database,
  caller: Caller,
  names: string[],
  users: FoundUser[],
): Promise<Channel[]> {
  const requested = new Map(names.map((name) => [channelKey(name), name]))
  const found = new Map<string, Channel>()
  const locked = await lockChannels(db, caller.realm_id, [...requested.keys()])
  const byKey = new Map(locked.map((channel) => [channelKey(channel.name), channel]))
  for (const [key, name] of requested) {
    const channel = byKey.get(key)
    const isVisible = await canSeeChannel(db, caller, channel ?? absentChannel(caller, name))
    if (channel && isVisible && !channel.is_archived) found.set(key, channel)
  }
  const unknown = [...requested].filter(([key]) => !found.has(key)).map(([, name]) => name)
  if (unknown.length > 0) throw new ApiError(`Channel(s) (${unknown.join(', ')}) do not exist`)
  const channels = [...requested.keys()].map((key) => found.get(key)!)
  if (!users.every((user) => isOwn(caller, user)) && !channels.every((one) => mayRemoveOthers(caller, one)))
    throw new ApiError('You do not have permission to unsubscribe others.')
  return channels
}

/** Whether the user is the caller or one of the caller's bots. */
function isOwn({ id }: Caller, user: FoundUser): boolean {
  return user.id === id || user.bot_owner_id === id
}
