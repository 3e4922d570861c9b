import type { Realm } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import type { FoundUser } from '../../people/users/find-users.ts'
import { findSystemBot } from '../../people/users/system-bots.ts'
import type { Db } from '../../platform/db/pool.ts'
import { type Channel, findActiveChannel } from '../channels/access.ts'
import type { Joined } from '../channels/subscriptions/subscribe-events.ts'
import { type Notice, sendNotices } from '../messages/send/notices.ts'

type NewChannel = Channel & { description: string }

export interface Opened {
  actor: { id: number; full_name: string; is_active: boolean }
  created: NewChannel[]
  joined: Joined[]
  users: FoundUser[]
  announce: boolean
}

/** If more users than this are added at once, none of them gets a notice: it would be a flood. */
const maxDirectNotices = 100
const maxListedNames = 50
export const openingTopic = 'channel events'
const announcementTopic = 'new channels'

/** Sends the notices about new channels and subscriptions. The first message of each new channel comes first. */
export async function sendChannelNotices(
  tx: Tx,
  ctx: Pick<Context, 'renderer'>,
  realm: Realm,
  opened: Opened,
): Promise<void> {
  if (opened.created.length === 0 && opened.joined.every(({ added }) => added.length === 0)) return
  const sender = await findSystemBot(tx.db, realm, 'notification')
  await sendNotices(tx, ctx, realm, [
    ...opened.created.map((channel) => openingNotice(sender, channel, opened)),
    ...(await announcement(tx.db, realm, sender, opened)),
    ...directNotices(sender, opened),
  ])
}

function openingNotice(sender: FoundUser, channel: NewChannel, { actor }: Opened): Notice {
  const content = `${mention(actor)} created this channel. ${describeKind(channel)}\n\n${quoted(channel.description)}`
  const destination = { kind: 'channel', channel, topic: openingTopic } as const
  return { sender, destination, content, refersTo: { users: [actor] }, doer: actor.id }
}

export function describeKind(channel: Channel): string {
  if (channel.is_web_public) return 'It is **open to the web**: anyone can read it.'
  if (!channel.invite_only) return 'It is **public**: everyone but guests can join it.'
  if (channel.history_public_to_subscribers)
    return 'It is **private**: only its subscribers can read it, from its beginning.'
  return 'It is **private** with **protected history**: its subscribers can read messages sent after they join.'
}

/** Private channels are not announced. */
async function announcement(db: Db, realm: Realm, sender: FoundUser, opened: Opened): Promise<Notice[]> {
  const channels = opened.created.filter(({ invite_only }) => !invite_only)
  if (!opened.announce || channels.length === 0) return []
  const channel = await findActiveChannel(db, realm.id, realm.settings.new_stream_announcements_stream_id)
  if (!channel) return []
  const content = `${mention(opened.actor)} created ${channels.length === 1 ? 'a channel' : 'channels'}: ${listed(channels)}`
  const destination = { kind: 'channel', channel, topic: announcementTopic } as const
  return [{ sender, destination, content, refersTo: { users: [opened.actor], channels }, doer: opened.actor.id }]
}

/** Notices to users that the actor subscribed. New channels need none: their first message says enough. */
function directNotices(sender: FoundUser, { actor, created, joined, users }: Opened): Notice[] {
  const isNew = new Set(created.map(({ id }) => id))
  const older = joined.filter(({ channel }) => !isNew.has(channel.id))
  const byUser = users
    .filter((person) => person.id !== actor.id && person.bot_type === null)
    .map((person) => ({ person, channels: channelsJoinedBy(person, older) }))
    .filter(({ channels }) => channels.length > 0)
  if (byUser.length > maxDirectNotices) return []
  return byUser.map(({ person, channels }) => ({
    sender,
    destination: { kind: 'direct', participants: [sender, person].sort((a, b) => a.id - b.id) },
    content: `${mention(actor)} subscribed you to ${listed(channels)}`,
    refersTo: { users: [actor], channels },
  }))
}

function channelsJoinedBy(person: FoundUser, joined: Joined[]): Channel[] {
  return joined.filter(({ added }) => added.includes(person.id)).map(({ channel }) => channel)
}

export function quoted(description: string): string {
  return `\`\`\`\`\`\` quote\n${description || '*No description.*'}\n\`\`\`\`\`\``
}

export function mention({ full_name, id }: { full_name: string; id: number }): string {
  return `@_**${full_name}|${id}**`
}

function listed(channels: Channel[]): string {
  const names = channels.slice(0, maxListedNames).map(({ name }) => `#**${name}**`)
  const more = channels.length > maxListedNames ? ` and ${channels.length - maxListedNames} more` : ''
  return `${names.join(', ')}${more}.`
}
