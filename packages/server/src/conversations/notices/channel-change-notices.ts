import type { Caller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { findSystemBot } from '../../people/users/system-bots.ts'
import type { Channel } from '../channels/access.ts'
import type { ManagedChannel } from '../channels/settings/update-access.ts'
import type { CheckedChanges } from '../channels/settings/update-channel.ts'
import { sendNotices } from '../messages/send/notices.ts'
import { describeKind, mention, openingTopic, quoted } from './channel-notices.ts'

/** Posts notices in a channel about changes to its settings. */
export async function sendChangeNotices(
  tx: Tx,
  ctx: Pick<Context, 'renderer'>,
  actor: Caller,
  before: ManagedChannel,
  channel: ManagedChannel,
  changes: CheckedChanges,
): Promise<void> {
  const texts = changeTexts(mention(actor), before, channel, changes)
  if (texts.length === 0) return
  const sender = await findSystemBot(tx.db, actor.realm, 'notification')
  const destination = { kind: 'channel', channel, topic: openingTopic } as const
  await sendNotices(
    tx,
    ctx,
    actor.realm,
    texts.map((content) => ({ sender, destination, content, refersTo: { users: [actor] } })),
  )
}

/** Posts a notice that a channel was archived or unarchived. The archiving notice counts as read for everyone. */
export async function sendArchivingNotice(
  tx: Tx,
  ctx: Pick<Context, 'renderer'>,
  actor: Caller,
  channel: Channel,
): Promise<void> {
  const sender = await findSystemBot(tx.db, actor.realm, 'notification')
  const content = `${mention(actor)} ${channel.is_archived ? 'archived this channel' : 'unarchived this channel'}.`
  const destination = { kind: 'channel', channel, topic: openingTopic } as const
  const unread = channel.is_archived && { unreadFor: [] }
  await sendNotices(tx, ctx, actor.realm, [{ sender, destination, content, refersTo: { users: [actor] }, ...unread }])
}

function changeTexts(
  actor: string,
  before: ManagedChannel,
  channel: ManagedChannel,
  changes: CheckedChanges,
): string[] {
  const texts: string[] = []
  if (changes.name !== undefined)
    texts.push(`${actor} renamed this channel from **${before.name}** to **${changes.name}**.`)
  if (changes.privacy) texts.push(`${actor} changed who can read this channel. ${describeKind(channel)}`)
  if (changes.description !== undefined)
    texts.push(
      `${actor} changed the description of this channel.\n\n${described('Before', before.description)}\n\n${described('Now', changes.description)}`,
    )
  if (changes.permissions.some(({ setting }) => setting === 'can_send_message_group'))
    texts.push(`${actor} changed who can post in this channel.`)
  if (changes.message_retention_days !== undefined)
    texts.push(
      `${actor} changed how long messages in this channel are kept: ${retentionText(changes.message_retention_days)}.`,
    )
  return texts
}

function described(when: string, description: string): string {
  return `* **${when}**:\n${quoted(description)}`
}

function retentionText(days: number | null): string {
  if (days === null) return 'the default of the organization'
  return days === -1 ? 'forever' : `for ${days} days`
}
