import type { MessageObject } from '@parley/api/conversations/messages'
import type { NotificationReason } from '@parley/client/messages/notifications'
import { shownText } from '@parley/markdown/shown-text'
import type { Caller } from '../../callers/caller.ts'
import { activeForSeconds } from '../../people/presence/queries.ts'
import type { Db } from '../../platform/db/pool.ts'
import { type Conversation, conversationOf, hashOf } from '../notifications/conversation.ts'
import { decideAll } from '../notifications/decide.ts'
import { dropped } from '../notifications/trail.ts'

/** What the service worker gets (packages/web/sw). It writes the sentences, in the language of the user. */
export interface Notification {
  language: string
  organization: string
  /** Absent in a test. */
  message?: {
    id: number
    sender: string
    /** The image of the sender, if it is on this server. */
    image?: string
    /** Absent in direct messages. */
    channel?: { name: string; topic: string }
    /** How many people besides the sender and the user. */
    others: number
    /** Absent if the user does not want it to be shown. */
    text?: string
    /** What a click opens, relative to the URL of the realm. */
    hash: string
  }
  /** For how many messages of the conversation it stands; absent: one. */
  count?: number
  /** Messages whose notifications are to be closed. */
  removed?: number[]
  /** Notifications with the same tag replace each other. */
  tag: string
}

const maxName = 100
const maxText = 200

export function testNotification({ settings, realm }: Caller): Notification {
  return { language: settings.default_language, organization: cut(realm.name, maxName), tag: 'test' }
}

/** Closes notifications, and shows nothing. */
export function removal(viewer: Caller, removed: number[]): Notification {
  return { ...testNotification(viewer), tag: 'removed', removed }
}

export interface Push {
  content: Notification
  isUrgent: boolean
  /** Why the message notifies; null in a test. */
  reason: NotificationReason | null
}

/**
 * What to send about a message; or when to decide again, because the user is active or is not to be disturbed; or why the
 * message does not notify the user: deleted, hidden, read or not wanted.
 */
export async function readNotification(
  db: Db,
  viewer: Caller,
  messageId: number,
): Promise<Push | { waitSeconds: number } | { quietUntil: number } | ReturnType<typeof dropped>> {
  const [decided] = await decideAll(db, viewer, [messageId])
  const reason = decided?.decision.push
  if (!decided || reason === undefined) return dropped('push', decided)
  const { message } = decided
  const { quietUntil } = decided.decision
  if (quietUntil !== undefined) return { quietUntil }
  const waitSeconds = viewer.settings.enable_online_push_notifications ? undefined : await activeForSeconds(db, viewer)
  if (waitSeconds !== undefined) return { waitSeconds }
  const isUrgent = message.type !== 'stream' || message.flags.includes('mentioned')
  return { content: notificationOf(viewer, message), isUrgent, reason }
}

function notificationOf(viewer: Caller, message: MessageObject): Notification {
  const { id, sender_full_name, avatar_url } = message
  const conversation = conversationOf(viewer, message)
  const isDirect = conversation.kind === 'direct'
  const isShown = !isDirect || viewer.settings.pm_content_in_desktop_notifications
  return {
    ...testNotification(viewer),
    tag: tagOf(conversation),
    message: {
      id,
      sender: cut(sender_full_name, maxName),
      ...(avatar_url?.startsWith('/') && { image: avatar_url }),
      ...(!isDirect && {
        channel: { name: cut(conversation.channel, maxName), topic: cut(conversation.topic, maxName) },
      }),
      others: isDirect ? Math.max(conversation.people.length - 1, 0) : 0,
      ...(isShown && { text: cut(textOf(message), maxText) }),
      hash: hashOf(conversation, id),
    },
  }
}

/** An action is a sentence about its sender. */
function textOf({ content, is_me_message, sender_full_name }: MessageObject): string {
  const text = shownText(content)
  return is_me_message ? text.replace(/^\/me\b/, () => sender_full_name) : text
}

function tagOf(conversation: Conversation): string {
  return conversation.kind === 'direct'
    ? `direct-${conversation.people.map(({ id }) => id).join()}`
    : `topic-${conversation.channelId}-${conversation.topic.toLowerCase()}`
}

/** Never between the halves of a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text
    .slice(0, length - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '')
    .trimEnd()}…`
}
