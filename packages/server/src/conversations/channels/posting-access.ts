import { canReadUnsubscribed } from '@parley/api/channel-permissions'
import { isGuest, mayInChannel } from '@parley/api/permissions'
import { type Caller, loadCaller } from '../../callers/caller.ts'
import { RealmCache } from '../../callers/realm-cache.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { type Channel, isSubscribed } from './access.ts'

const botOwners = new RealmCache<number, Caller>({ entries: 10_000 })

/** Throws unless the caller may post in the channel. A bot may post where its owner may. */
export async function checkPosting(db: Db, caller: Caller, channel: Channel): Promise<void> {
  if (channel.is_archived) throw new ApiError(`Not authorized to send to channel '${channel.name}'`)
  const owner = await checkPostingGroup(db, caller, channel)
  if (!hasOpenAccess(caller, channel) && !(await isSubscriber(db, caller, owner, channel)))
    throw new ApiError(`Not authorized to send to channel '${channel.name}'`)
}

/** Throws unless `can_send_message_group` includes the caller or the bot's owner. Returns that owner. */
export async function checkPostingGroup(db: Db, caller: Caller, channel: Channel): Promise<Caller | undefined> {
  const owner = await ownerOf(db, caller)
  const mayPost = (one: Caller) => mayInChannel(one, channel, 'can_send_message_group')
  if (!mayPost(caller) && !(owner && mayPost(owner)))
    throw new ApiError('You do not have permission to post in this channel.')
  return owner
}

/** Whether the caller needs no subscription. */
function hasOpenAccess(caller: Caller, channel: Channel): boolean {
  if (!channel.invite_only && !isGuest(caller)) return true
  return canReadUnsubscribed(caller, channel) && channel.history_public_to_subscribers
}

async function isSubscriber(db: Db, caller: Caller, owner: Caller | undefined, channel: Channel): Promise<boolean> {
  if (await isSubscribed(db, caller, caller.id, channel.id)) return true
  return owner !== undefined && (await isSubscribed(db, caller, owner.id, channel.id))
}

function ownerOf(db: Db, caller: Caller): Caller | undefined | Promise<Caller | undefined> {
  if (caller.bot_owner_id === null) return undefined
  const owner = caller.bot_owner_id
  return botOwners.getOrLoad(caller.state, owner, () => loadCaller(db, caller.state, owner))
}
