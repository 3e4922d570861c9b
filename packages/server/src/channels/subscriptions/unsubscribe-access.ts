import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Caller } from '../../users/caller.ts'
import type { Person } from '../../users/find-users.ts'
import { absentChannel, type Channel, canSeeChannel, lockChannels } from '../access.ts'
import { channelKey } from '../settings/naming.ts'
import { mayRemoveOthers } from '../settings/permissions.ts'

/** The channels that people are to be unsubscribed from, locked, if the caller may do that. */
export async function accessUnsubscribe(db: Db, caller: Caller, names: string[], people: Person[]): Promise<Channel[]> {
  const wanted = new Map(names.map((name) => [channelKey(name), name]))
  const found = new Map<string, Channel>()
  const locked = await lockChannels(db, caller.realm_id, [...wanted.keys()])
  const byKey = new Map(locked.map((channel) => [channelKey(channel.name), channel]))
  for (const [key, name] of wanted) {
    const channel = byKey.get(key)
    const isVisible = await canSeeChannel(db, caller, channel ?? absentChannel(caller, name))
    if (channel && isVisible && !channel.is_archived) found.set(key, channel)
  }
  const unknown = [...wanted].filter(([key]) => !found.has(key)).map(([, name]) => name)
  if (unknown.length > 0) throw new ApiError(`Channel(s) (${unknown.join(', ')}) do not exist`)
  const channels = [...wanted.keys()].map((key) => found.get(key)!)
  if (!people.every((person) => isOwn(caller, person)) && !channels.every((one) => mayRemoveOthers(caller, one)))
    throw new ApiError('You do not have permission to unsubscribe others.')
  return channels
}

/** Oneself, and one's own bots. */
function isOwn({ id }: Caller, person: Person): boolean {
  return person.id === id || person.bot_owner_id === id
}
