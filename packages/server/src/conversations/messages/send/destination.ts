import { mayInRealm } from '@parley/api/permissions'
import { type Caller, loadCaller } from '../../../callers/caller.ts'
import { type FoundUser, findUser, findUsers, findUsersByApiEmail } from '../../../people/users/find-users.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { one } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { absentChannel, type Channel, canSeeChannel, findChannel, findChannelByName } from '../../channels/access.ts'
import { checkPosting } from '../../channels/posting-access.ts'
import { hiddenAmong } from '../model/authors.ts'
import { checkMandatoryTopic, normalizeTopic } from '../model/normalize-text.ts'

export type Destination =
  | { kind: 'channel'; channel: Channel; topic: string }
  | { kind: 'direct'; participants: FoundUser[] /* all participants, sorted by id */ }

type To = number | string | (number | string)[]

class NoSuchChannel extends ApiError {
  constructor(idOrName: number | string) {
    const [what, fields] =
      typeof idOrName === 'number' ? ['Channel with ID', { stream_id: idOrName }] : ['Channel', { stream: idOrName }]
    super(`${what} '${idOrName}' does not exist`, 'STREAM_DOES_NOT_EXIST', { fields })
  }
}

/** Resolves where a message goes, in every form that clients use, and checks that the sender may send there. */
export async function accessDestination(
  db: Db,
  sender: Caller,
  { type, to, topic }: { type: string; to: To; topic?: string | undefined },
): Promise<Destination> {
  if (type === 'direct' || type === 'private') return accessConversation(db, sender, to)
  if (topic === undefined) throw new ApiError('Missing topic')
  const channel = await accessNamedChannel(db, sender, to)
  const name = normalizeTopic(topic)
  checkMandatoryTopic(sender.realm, name)
  return { kind: 'channel', channel, topic: name }
}

/** A channel hidden from the sender fails exactly like one that does not exist. */
async function accessNamedChannel(db: Db, sender: Caller, to: To): Promise<Channel> {
  const [idOrName, ...others] = Array.isArray(to) ? to : [to]
  if (idOrName === undefined || idOrName === '' || others.length > 0) throw new ApiError('Expected exactly one channel')
  const channel =
    typeof idOrName === 'number'
      ? await findChannel(db, sender, idOrName)
      : await findChannelByName(db, sender, idOrName)
  const checked = channel ?? absentChannel(sender, idOrName)
  try {
    await checkPosting(db, sender, checked)
  } catch (error) {
    // Checked only after a failure, because almost every send is allowed.
    const isVisible = await canSeeChannel(db, sender, checked)
    throw channel && isVisible ? error : new NoSuchChannel(idOrName)
  }
  return checked
}

async function accessConversation(db: Db, sender: Caller, to: To): Promise<Destination> {
  const named = await namedUsers(db, sender, to)
  const deactivated = named.find((person) => !person.is_active && person.bot_type === null)
  if (deactivated) throw new ApiError(`'${deactivated.full_name}' is no longer active in this organization.`)
  const self = await findUser(db, sender.state, sender.id)
  const participants = [...new Map([self!, ...named].map((person) => [person.id, person])).values()]
  participants.sort((a, b) => a.id - b.id)
  await checkDirectMessaging(db, sender, participants)
  return { kind: 'direct', participants }
}

async function namedUsers(db: Db, sender: Caller, to: To): Promise<FoundUser[]> {
  if (typeof to === 'number') throw new ApiError('Recipients must be a list')
  const list = Array.isArray(to) ? to : to.split(',').map((part) => part.trim())
  const recipients = list.filter((one) => one !== '')
  if (recipients.length === 0) throw new ApiError('Message must have recipients')
  if (recipients.every((one) => typeof one === 'number')) return accessUsers(db, sender, recipients)
  if (recipients.every((one) => typeof one === 'string')) return usersByEmail(db, sender, recipients)
  throw new ApiError('Recipient lists may contain emails or user IDs, but not both.')
}

/** Loads users by id. A user hidden from a restricted guest fails exactly like one who does not exist. */
export async function accessUsers(db: Db, sender: Caller, ids: number[]): Promise<FoundUser[]> {
  const users = await findUsers(db, sender.state, [...new Set(ids)])
  const hidden = await hiddenAmong(db, sender, ids)
  const missing = ids.find((id) => hidden.has(id) || !users.some((person) => person.id === id))
  if (missing !== undefined) throw new ApiError(`Invalid user ID ${missing}`)
  return users
}

async function usersByEmail(db: Db, sender: Caller, emails: string[]): Promise<FoundUser[]> {
  const users = await findUsersByApiEmail(db, sender, emails)
  const ids = [...users.values()].map(({ id }) => id)
  const hidden = await hiddenAmong(db, sender, ids)
  const missing = emails.find((email) => !users.has(email) || hidden.has(users.get(email)!.id))
  if (missing !== undefined) throw new ApiError(`Invalid email '${missing}'`)
  return [...users.values()]
}

/**
 * Checks the realm's permissions to send direct messages and to start a conversation. Messages from bots, and to bots
 * or oneself, are always allowed.
 */
async function checkDirectMessaging(db: Db, sender: Caller, participants: FoundUser[]): Promise<void> {
  const others = participants.filter((person) => person.id !== sender.id && person.bot_type === null)
  if (sender.bot_type !== null || others.length === 0) return
  await checkAuthorized(db, sender, participants)
  const { permissions, systemGroups } = sender.realm
  if (permissions.direct_message_initiator_group === systemGroups['role:everyone']) return
  if (mayInRealm(sender, sender.realm, 'direct_message_initiator_group')) return
  if (!(await hasConversation(db, sender, participants)))
    throw new ApiError('You do not have permission to initiate direct message conversations.')
}

/** One participant with permission authorizes the conversation for all of them. */
async function checkAuthorized(db: Db, { state, realm }: Caller, participants: FoundUser[]): Promise<void> {
  const group = realm.permissions.direct_message_permission_group
  if (group === realm.systemGroups['role:everyone']) return
  if (group === realm.systemGroups['role:nobody'])
    throw new ApiError('Direct messages are disabled in this organization.')
  const callers = await Promise.all(participants.map(({ id }) => loadCaller(db, state, id)))
  if (!callers.some((one) => one && mayInRealm(one, realm, 'direct_message_permission_group')))
    throw new ApiError('This conversation does not include any users who can authorize it.')
}

/** Whether the direct conversation exists and has messages. */
async function hasConversation(db: Db, { realm_id }: Caller, participants: FoundUser[]): Promise<boolean> {
  const { has_messages } = await one<{ has_messages: boolean }>(db)`
    select exists (
      select 1 from direct_conversations d join messages m on m.realm_id = d.realm_id and m.recipient_id = d.recipient_id
       where d.realm_id = ${realm_id} and d.user_ids = ${participants.map(({ id }) => id)}::bigint[]) as has_messages`
  return has_messages
}
