import { isGuest } from '@parley/api/permissions'
import { sql } from 'kysely'
import type { Realm } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import { type Channel, findActiveChannel, lockFirstChannels } from '../../conversations/channels/access.ts'
import { subscribeUsers } from '../../conversations/channels/subscriptions/subscribe.ts'
import { flagBits } from '../../conversations/messages/model/flag-bits.ts'
import { sendNotices } from '../../conversations/messages/send/notices.ts'
import type { Tx } from '../../events/transact.ts'
import type { FoundUser } from '../../people/users/find-users.ts'
import { findSystemBot } from '../../people/users/system-bots.ts'
import { endInvitationsTo } from '../invitations/actions.ts'

/** What an invitation adds for the account that accepts it. */
export interface Invited {
  channel_ids: number[]
  include_default_channels: boolean
  welcome_text: string | null
}

/** Without an invitation, guests are subscribed to nothing: they see only channels they were added to. */
function uninvited(user: FoundUser): Invited {
  return { channel_ids: [], include_default_channels: !isGuest(user), welcome_text: null }
}

/** Subscribes a new account to its first channels, announces it and sends the welcome message. */
export async function welcomeAccount(
  tx: Tx,
  ctx: Pick<Context, 'renderer'>,
  realm: Realm,
  user: FoundUser,
  invited: Invited = uninvited(user),
): Promise<void> {
  await endInvitationsTo(tx, user.email)
  await subscribeToFirstChannels(tx, realm, user, invited)
  await announceAccount(tx, ctx, realm, user)
  await sendWelcome(tx, ctx, realm, user, invited)
}

async function subscribeToFirstChannels(tx: Tx, realm: Realm, user: FoundUser, invited: Invited): Promise<void> {
  const channels = await lockFirstChannels(tx.db, realm.id, invited.channel_ids, invited.include_default_channels)
  if (channels.length === 0) return
  await subscribeUsers(tx, realm, { users: [user], channels, created: [], colors: new Map() })
  await markNewestUnread(
    tx,
    user,
    channels.filter(({ history_public_to_subscribers: isReadable }) => isReadable),
  )
}

const maxUnread = 20

/** Marks the newest messages from before the account existed as unread, so that a new user has something to read. */
async function markNewestUnread(tx: Tx, { id }: FoundUser, channels: Channel[]): Promise<void> {
  await sql`
    insert into message_flags (realm_id, user_id, message_id, flags)
    select ${tx.realmId}, ${id}, m.id, ${flagBits.unread | flagBits.historical}::integer
      from unnest(${channels.map(({ recipient_id }) => recipient_id)}::bigint[]) c(recipient_id)
     cross join lateral (
       select id from messages where realm_id = ${tx.realmId} and recipient_id = c.recipient_id
        order by id desc limit ${maxUnread}) m
     order by m.id desc limit ${maxUnread}`.execute(tx.db)
}

/** Does nothing unless the organization has set a channel for signup announcements. */
async function announceAccount(tx: Tx, ctx: Pick<Context, 'renderer'>, realm: Realm, user: FoundUser): Promise<void> {
  const channel = await findActiveChannel(tx.db, realm.id, realm.settings.signup_announcements_stream_id)
  if (!channel) return
  const sender = await findSystemBot(tx.db, realm, 'notification')
  const content = `@_**${user.full_name}|${user.id}** joined this organization.`
  const destination = { kind: 'channel', channel, topic: 'signups' } as const
  await sendNotices(tx, ctx, realm, [{ sender, destination, content, refersTo: { users: [user] } }])
}

async function sendWelcome(
  tx: Tx,
  ctx: Pick<Context, 'renderer'>,
  realm: Realm,
  user: FoundUser,
  { welcome_text }: Invited,
): Promise<void> {
  const sender = await findSystemBot(tx.db, realm, 'welcome')
  const participants = [sender, user].sort((a, b) => a.id - b.id)
  const content = `Hello, ${user.full_name}, and welcome to **${realm.name}**!

Conversations happen in channels, and each conversation in a channel has a topic. Look around in the channels you \
are subscribed to, answer where you have something to say, and begin a topic of your own for something new. What is \
meant for a few people only can be sent to them directly, like this message.`
  const texts = [content, ...(welcome_text === null ? [] : [welcome_text])]
  const notices = texts.map((text) => ({
    sender,
    destination: { kind: 'direct', participants } as const,
    content: text,
  }))
  const [sent] = await sendNotices(tx, ctx, realm, notices)
  // Starred, so that the user can find it again later.
  await sql`
    insert into message_flags (realm_id, user_id, message_id, flags)
    values (${tx.realmId}, ${user.id}, ${sent!.message_id}, ${flagBits.starred}::integer)
    on conflict (realm_id, user_id, message_id) do update set flags = message_flags.flags | excluded.flags`.execute(
    tx.db,
  )
}
