import { lookup } from '@parley/api/lookup'
import type { MessageObject } from '@parley/api/messages'
import { decideNotification, type NotificationRules } from '@parley/client/notifications'
import { messageUrl } from '@parley/markdown/links'
import { messageObjects } from '../messages/fetch/message-objects.ts'
import { accessibleMessages } from '../messages/model/access.ts'
import { isMuted, personalJoins } from '../messages/model/read-state.ts'
import type { Db } from '../platform/db/pool.ts'
import { one } from '../platform/db/query.ts'
import { isActiveNow } from '../presence/queries.ts'
import type { Caller } from '../users/caller.ts'
import { shownText } from './shown-text.ts'

/** What the service worker gets (packages/web/sw). It writes the sentences, in the language of the user. */
export interface Notification {
  language: string
  organization: string
  /** Absent in a test. */
  message?: {
    id: number
    sender: string
    /** Absent in direct messages. */
    channel?: { name: string; topic: string }
    /** How many people besides the sender and the user. */
    others: number
    /** Absent if the user does not want it to be shown. */
    text?: string
    /** What a click opens, relative to the URL of the realm. */
    hash: string
  }
  /** Notifications with the same tag replace each other. */
  tag: string
}

const maxName = 100
const maxText = 200

export function testNotification({ settings, realm }: Caller): Notification {
  return { language: settings.default_language, organization: cut(realm.name, maxName), tag: 'test' }
}

/** Undefined if the message does not notify the user now: deleted, hidden, read or not wanted. */
export async function readNotification(
  db: Db,
  viewer: Caller,
  messageId: number,
): Promise<{ content: Notification; isUrgent: boolean } | undefined> {
  const [readable] = await accessibleMessages(db, viewer, [messageId])
  if (!readable) return undefined
  const [message] = await messageObjects(db, viewer, [messageId], form)
  if (!message) return undefined
  const rules = await readRules(db, viewer, messageId)
  if (!decideNotification(rules, { message, flags: message.flags }).push) return undefined
  if (!viewer.settings.enable_online_push_notifications && (await isActiveNow(db, viewer))) return undefined
  const isUrgent = message.type !== 'stream' || message.flags.includes('mentioned')
  return { content: notificationOf(viewer, message), isUrgent }
}

const form = { apply_markdown: true, client_gravatar: false, allow_empty_topic_name: true, is_zulip_client: false }

/** What the user's settings say about a message; the decision itself is the one of the web client. */
async function readRules(db: Db, viewer: Caller, messageId: number): Promise<NotificationRules> {
  const row = await one<{
    policy: number
    is_muted: boolean
    is_sender_muted: boolean
    is_subscribed: boolean
    push_notifications: boolean | null
    wildcard_mentions_notify: boolean | null
  }>(db)`
    select coalesce(v.visibility_policy, 0) as policy, ${isMuted(viewer)} as is_muted, s.push_notifications,
           s.wildcard_mentions_notify, s.user_id is not null as is_subscribed,
           exists (select 1 from muted_users u where u.realm_id = m.realm_id and u.user_id = ${viewer.id}
                      and u.muted_user_id = m.sender_id) as is_sender_muted
      from messages m ${personalJoins(viewer)}
      left join subscriptions s on s.realm_id = m.realm_id and s.channel_id = m.channel_id
                               and s.user_id = ${viewer.id} and s.is_active
     where m.realm_id = ${viewer.realm_id} and m.id = ${messageId}`
  return {
    settings: { user_id: viewer.id },
    preferences: { get: (name) => lookup(viewer.settings, name) },
    mutedUsers: { has: () => row.is_sender_muted },
    channels: { subscribed: { get: () => (row.is_subscribed ? row : undefined) } },
    topics: { policyOf: () => row.policy, isMuted: () => row.is_muted },
  }
}

function notificationOf(viewer: Caller, message: MessageObject): Notification {
  const { id, type, stream_id, subject: topic, display_recipient: place, sender_full_name } = message
  const people = typeof place === 'string' ? [] : place.map((person) => person.id).filter((one) => one !== viewer.id)
  const isDirect = type !== 'stream'
  const isShown = !isDirect || viewer.settings.pm_content_in_desktop_notifications
  const name = String(place)
  return {
    ...testNotification(viewer),
    tag: isDirect ? `direct-${people.join()}` : `topic-${stream_id}-${topic.toLowerCase()}`,
    message: {
      id,
      sender: cut(sender_full_name, maxName),
      ...(!isDirect && { channel: { name: cut(name, maxName), topic: cut(topic, maxName) } }),
      others: Math.max(people.length - 1, 0),
      ...(isShown && { text: cut(shownText(message.content), maxText) }),
      hash: isDirect ? `#narrow/dm/${people.join()}-dm/near/${id}` : messageUrl(stream_id!, name, topic, id).slice(1),
    },
  }
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
