import { apiEmail } from '../../callers/api-email.ts'
import type { Caller } from '../../callers/caller.ts'
import { RealmCache } from '../../callers/realm-cache.ts'
import { fakeDomain, type Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { type FoundUser, findUsers } from '../../people/users/find-users.ts'
import { unknownUser } from '../../people/users/queries.ts'
import { restrictedGuests } from '../../people/users/visibility/visible-users.ts'
import { many } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { isPrintable } from '../../platform/text.ts'
import { accessChannel } from '../channels/access.ts'
import { checkPosting } from '../channels/posting-access.ts'
import { normalizeTopic } from '../messages/model/normalize-text.ts'
import { excepting, guestsWhoCannotSee } from '../messages/model/unknown-senders.ts'
import { accessUsers } from '../messages/send/destination.ts'

export type Op = 'start' | 'stop'

/** What a bot does instead of typing. */
export interface Work {
  activity?: 'working'
  note?: string
}

/** What of it is in the event. People type; only programs work. */
export function workOf({ bot_type, credential }: Caller, { activity, note }: Work): Work {
  if (!activity) return {}
  if (bot_type === null && !credential?.agent) throw new ApiError('Only bots and agents can say that they are working.')
  if (note && !isPrintable(note)) throw new ApiError('Invalid character in note!')
  return { activity, ...(note && { note }) }
}

/** Channels with more subscribers than this get no typing events: they would be noise. */
export const maxSubscribers = 100

export async function typeInConversation(
  tx: Tx,
  caller: Caller,
  op: Op,
  { to, ...rest }: { to?: number[] | null } & Work,
): Promise<void> {
  const work = workOf(caller, rest)
  if (!to) throw new ApiError("Missing 'to' argument")
  if (to.length === 0) throw new ApiError("Empty 'to' list")
  if (!caller.settings.send_private_typing_notifications)
    throw new ApiError('User has disabled typing notifications for direct messages')
  const users = await accessUsers(tx.db, caller, [...new Set([caller.id, ...to])])
  const host = fakeDomain(caller.realm)
  const participants = users
    .map((user) => ({ user_id: user.id, email: apiEmail(user, host) }))
    .sort((a, b) => a.user_id - b.user_id)
  const sender = participants.find(({ user_id }) => user_id === caller.id)!
  const audience = await typingRecipients(
    tx,
    caller,
    participants.map(({ user_id }) => user_id),
  )
  const excluded = await guestsWhoDoNotSeeAll(tx, caller.realm, users)
  tx.emit(
    { type: 'typing', op, ...work, message_type: 'direct', sender, recipients: participants },
    { users: audience.filter((id) => !excluded.includes(id)) },
  )
}

/** Restricted guests: the event would reveal a user hidden from them. */
async function guestsWhoDoNotSeeAll(tx: Tx, realm: Realm, users: FoundUser[]): Promise<number[]> {
  const humans = users.filter(({ bot_type }) => bot_type === null)
  return (await Promise.all(humans.map(({ id }) => restrictedGuests(tx.db, realm, id)))).flat()
}

/** Whether a user is active and has not turned off typing notifications. Safe to cache: both bump `access_version`. */
const receivesTyping = new RealmCache<number, boolean>({ entries: 50_000 })

/** The active users among these who have not turned off typing notifications. */
export async function typingRecipients(tx: Tx, { state }: Caller, ids: number[]): Promise<number[]> {
  const unknown = ids.filter((id) => receivesTyping.get(state, id) === undefined)
  const rows = unknown.length > 0 ? await readReceivers(tx, unknown) : []
  const read = new Map(rows.map(({ id, is_receiver }) => [id, receivesTyping.set(state, id, is_receiver)]))
  return ids.filter((id) => read.get(id) ?? receivesTyping.get(state, id))
}

async function readReceivers(tx: Tx, ids: number[]): Promise<{ id: number; is_receiver: boolean }[]> {
  return many<{ id: number; is_receiver: boolean }>(tx.db)`
    select id, is_active and coalesce((settings ->> 'receives_typing_notifications')::boolean, true) as is_receiver
      from users where realm_id = ${tx.realmId} and id = any(${ids}::bigint[])`
}

export async function typeInChannel(
  tx: Tx,
  caller: Caller,
  op: Op,
  { stream_id, topic, ...rest }: { stream_id?: number | null; topic?: string } & Work,
): Promise<void> {
  const work = workOf(caller, rest)
  if (stream_id === undefined || stream_id === null) throw new ApiError('Missing channel ID')
  if (topic === undefined) throw new ApiError('Missing topic')
  if (!caller.settings.send_stream_typing_notifications)
    throw new ApiError('User has disabled typing notifications for channel messages')
  const channel = await accessChannel(tx.db, caller, stream_id)
  await checkPosting(tx.db, caller, channel)
  const audience = await typingSubscribers(tx, caller, channel.id)
  if (audience.length > maxSubscribers) return
  const [self] = await findUsers(tx.db, caller.state, [caller.id])
  const sender = { user_id: caller.id, email: apiEmail(self!, fakeDomain(caller.realm)) }
  const place = { message_type: 'stream', stream_id: channel.id, topic: normalizeTopic(topic) } as const
  const hiddenFrom = await guestsWhoCannotSee(tx.db, caller, channel.id)
  tx.emit({ type: 'typing', op, ...work, sender, ...place }, excepting({ users: audience }, hiddenFrom))
  const unknown = { user_id: caller.id, email: unknownUser(caller.id, caller).email }
  const restricted = audience.filter((id) => hiddenFrom.includes(id))
  if (restricted.length > 0) tx.emit({ type: 'typing', op, ...work, sender: unknown, ...place }, { users: restricted })
}

/** By channel id. Safe to cache: what `readTypingSubscribers` reads bumps `access_version`. */
const subscribersByChannel = new RealmCache<number, number[]>({ entries: 2000 })

/** The subscribers who receive typing notifications, or some more than `maxSubscribers`. */
export function typingSubscribers(tx: Tx, { state }: Caller, channelId: number): number[] | Promise<number[]> {
  return subscribersByChannel.getOrLoad(state, channelId, () => readTypingSubscribers(tx, channelId))
}

async function readTypingSubscribers(tx: Tx, channelId: number): Promise<number[]> {
  const rows = await many<{ user_id: number; is_receiver: boolean }>(tx.db)`
    select s.user_id, coalesce((u.settings ->> 'receives_typing_notifications')::boolean, true) as is_receiver
      from subscriptions s join users u on u.realm_id = s.realm_id and u.id = s.user_id
     where s.realm_id = ${tx.realmId} and s.channel_id = ${channelId} and s.is_active and u.is_active
     limit ${maxSubscribers + 1}`
  if (rows.length > maxSubscribers) return rows.map(({ user_id }) => user_id)
  return rows.filter((row) => row.is_receiver).map(({ user_id }) => user_id)
}
