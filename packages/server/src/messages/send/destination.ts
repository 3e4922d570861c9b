import { sql } from 'kysely'
import { absentChannel, type Channel, canSeeChannel, findChannel, findChannelByName } from '../../channels/access.ts'
import { checkPosting } from '../../channels/posting-access.ts'
import { mayInRealm } from '../../groups/permission.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { type Caller, loadCaller } from '../../users/caller.ts'
import { findUsers, findUsersByApiEmail, type Person } from '../../users/find-users.ts'
import { hiddenAmong } from '../model/authors.ts'
import { checkMandatoryTopic, normalizeTopic } from '../model/text.ts'

export type Destination =
  | { kind: 'channel'; channel: Channel; topic: string }
  | { kind: 'direct'; people: Person[] /* everybody in it, by id */ }

type To = number | string | (number | string)[]

class NoSuchChannel extends ApiError {
  constructor(wanted: number | string) {
    const [what, fields] =
      typeof wanted === 'number' ? ['Channel with ID', { stream_id: wanted }] : ['Channel', { stream: wanted }]
    super(`${what} '${wanted}' does not exist`, 'STREAM_DOES_NOT_EXIST', { fields })
  }
}

/** Where a message goes, in every form clients write it, if the sender may send there. */
export async function accessDestination(
  db: Db,
  sender: Caller,
  { type, to, topic }: { type: string; to: To; topic?: string },
): Promise<Destination> {
  if (type === 'direct' || type === 'private') return accessConversation(db, sender, to)
  if (topic === undefined) throw new ApiError('Missing topic')
  const channel = await accessNamedChannel(db, sender, to)
  const name = normalizeTopic(topic)
  checkMandatoryTopic(sender.realm, name)
  return { kind: 'channel', channel, topic: name }
}

/** One that the sender may not know of fails exactly like one that does not exist. */
async function accessNamedChannel(db: Db, sender: Caller, to: To): Promise<Channel> {
  const [wanted, ...others] = Array.isArray(to) ? to : [to]
  if (wanted === undefined || wanted === '' || others.length > 0) throw new ApiError('Expected exactly one channel')
  const channel =
    typeof wanted === 'number' ? await findChannel(db, sender, wanted) : await findChannelByName(db, sender, wanted)
  const checked = channel ?? absentChannel(sender, String(wanted))
  try {
    await checkPosting(db, sender, checked)
  } catch (error) {
    // Asked only now, because almost everybody writes where they may.
    const isVisible = await canSeeChannel(db, sender, checked)
    throw channel && isVisible ? error : new NoSuchChannel(wanted)
  }
  return checked
}

async function accessConversation(db: Db, sender: Caller, to: To): Promise<Destination> {
  const named = await namedPeople(db, sender, to)
  const gone = named.find((person) => !person.is_active && person.bot_type === null)
  if (gone) throw new ApiError(`'${gone.full_name}' is no longer active in this organization.`)
  const [self] = await findUsers(db, sender.state, [sender.id])
  const people = [...new Map([self!, ...named].map((person) => [person.id, person])).values()]
  people.sort((a, b) => a.id - b.id)
  await checkDirectMessaging(db, sender, people)
  return { kind: 'direct', people }
}

async function namedPeople(db: Db, sender: Caller, to: To): Promise<Person[]> {
  if (typeof to === 'number') throw new ApiError('Recipients must be a list')
  const list = Array.isArray(to) ? to : to.split(',').map((part) => part.trim())
  const wanted = list.filter((one) => one !== '')
  if (wanted.length === 0) throw new ApiError('Message must have recipients')
  if (wanted.every((one) => typeof one === 'number')) return accessUsers(db, sender, wanted)
  if (wanted.every((one) => typeof one === 'string')) return peopleByAddress(db, sender, wanted)
  throw new ApiError('Recipient lists may contain emails or user IDs, but not both.')
}

/** People by id. One whom a limited guest may not see fails exactly like one who does not exist. */
export async function accessUsers(db: Db, sender: Caller, ids: number[]): Promise<Person[]> {
  const people = await findUsers(db, sender.state, [...new Set(ids)])
  const hidden = await hiddenAmong(db, sender, ids)
  const missing = ids.find((id) => hidden.has(id) || !people.some((person) => person.id === id))
  if (missing !== undefined) throw new ApiError(`Invalid user ID ${missing}`)
  return people
}

async function peopleByAddress(db: Db, sender: Caller, addresses: string[]): Promise<Person[]> {
  const people = await findUsersByApiEmail(db, sender, addresses)
  const ids = [...people.values()].map(({ id }) => id)
  const hidden = await hiddenAmong(db, sender, ids)
  const missing = addresses.find((address) => !people.has(address) || hidden.has(people.get(address)!.id))
  if (missing !== undefined) throw new ApiError(`Invalid email '${missing}'`)
  return [...people.values()]
}

/** The realm may let only some write directly, and fewer begin. Bots, and talking to bots or oneself, are free. */
async function checkDirectMessaging(db: Db, sender: Caller, people: Person[]): Promise<void> {
  const others = people.filter((person) => person.id !== sender.id && person.bot_type === null)
  if (sender.bot_type !== null || others.length === 0) return
  await checkAuthorized(db, sender, people)
  const { permissions, systemGroups } = sender.realm
  if (permissions.direct_message_initiator_group === systemGroups['role:everyone']) return
  if (mayInRealm(sender, sender.realm, 'direct_message_initiator_group')) return
  if (!(await hasConversation(db, sender, people)))
    throw new ApiError('You do not have permission to initiate direct message conversations.')
}

/** One who may have conversations is enough for everybody in theirs. */
async function checkAuthorized(db: Db, { state, realm }: Caller, people: Person[]): Promise<void> {
  const group = realm.permissions.direct_message_permission_group
  if (group === realm.systemGroups['role:everyone']) return
  if (group === realm.systemGroups['role:nobody'])
    throw new ApiError('Direct messages are disabled in this organization.')
  const callers = await Promise.all(people.map(({ id }) => loadCaller(db, state, id)))
  if (!callers.some((one) => one && mayInRealm(one, realm, 'direct_message_permission_group')))
    throw new ApiError('This conversation does not include any users who can authorize it.')
}

/** Whether somebody has said something there already, and it is still there. */
async function hasConversation(db: Db, { realm_id }: Caller, people: Person[]): Promise<boolean> {
  const { rows } = await sql<{ yes: boolean }>`
    select exists (
      select 1 from direct_conversations d join messages m on m.realm_id = d.realm_id and m.recipient_id = d.recipient_id
       where d.realm_id = ${realm_id} and d.user_ids = ${people.map(({ id }) => id)}::bigint[]) as yes`.execute(db)
  return rows[0]!.yes
}
