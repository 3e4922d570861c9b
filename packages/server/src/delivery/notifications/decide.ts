import type { MessageObject } from '@parley/api/conversations/messages'
import { lookup } from '@parley/api/lookup'
import {
  decideNotification,
  type NotificationDecision,
  type NotificationRules,
} from '@parley/client/messages/notifications'
import type { Caller } from '../../callers/caller.ts'
import { messageObjects } from '../../conversations/messages/fetch/message-objects.ts'
import { accessibleMessages } from '../../conversations/messages/model/access.ts'
import { isMuted, personalJoins } from '../../conversations/messages/model/read-state.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'

/** A message that the user may read, as they see it, and what it is worth to them. */
export interface Decided {
  message: MessageObject
  decision: NotificationDecision
}

/** Decides about messages as things are now. Messages that are deleted or hidden from the user are left out. */
export async function decideAll(db: Db, viewer: Caller, messageIds: number[]): Promise<Decided[]> {
  const readable = (await accessibleMessages(db, viewer, messageIds)).map(({ id }) => id)
  const messages = await messageObjects(db, viewer, readable, form)
  const places = new Map((await readPlaces(db, viewer, readable)).map((place) => [place.id, place]))
  return messages.flatMap((message) => {
    const place = places.get(message.id)
    if (!place) return [] // deleted in this moment
    const { silent, notify_anyway } = place
    const arrived = { ...message, ...(silent && { silent }), ...(notify_anyway && { notify_anyway }) }
    return [
      { message, decision: decideNotification(rulesOf(viewer, place), { message: arrived, flags: message.flags }) },
    ]
  })
}

const form = { apply_markdown: true, client_gravatar: false, allow_empty_topic_name: true, is_zulip_client: false }

/** What the user chose for the sender and the place of a message. */
interface Choices {
  id: number
  policy: number
  is_muted: boolean
  is_sender_muted: boolean
  is_subscribed: boolean
  silent: true | null
  notify_anyway: true | null
  push_notifications: boolean | null
  email_notifications: boolean | null
  wildcard_mentions_notify: boolean | null
}

function readPlaces(db: Db, viewer: Caller, messageIds: number[]): Promise<Choices[]> {
  return many<Choices>(db)`
    select m.id, coalesce(v.visibility_policy, 0) as policy, ${isMuted(viewer)} as is_muted, s.push_notifications,
           s.email_notifications, s.wildcard_mentions_notify, s.user_id is not null as is_subscribed,
           nullif(n.mode = 'silent', false) as silent, nullif(n.mode = 'anyway' and m.edit_history is null, false) as notify_anyway,
           exists (select 1 from muted_users u where u.realm_id = m.realm_id and u.user_id = ${viewer.id}
                      and u.muted_user_id = m.sender_id) as is_sender_muted
      from messages m ${personalJoins(viewer)}
      left join message_notices n on n.realm_id = m.realm_id and n.message_id = m.id
      left join subscriptions s on s.realm_id = m.realm_id and s.channel_id = m.channel_id
                               and s.user_id = ${viewer.id} and s.is_active
     where m.realm_id = ${viewer.realm_id} and m.id = any(${messageIds}::bigint[])`
}

/** The decision itself is the one of the web client. */
function rulesOf(viewer: Caller, place: Choices): NotificationRules {
  return {
    settings: { user_id: viewer.id },
    preferences: { get: (name) => (name === 'timezone' ? viewer.timezone : lookup(viewer.settings, name)) },
    mutedUsers: { has: () => place.is_sender_muted },
    channels: { subscribed: { get: () => (place.is_subscribed ? place : undefined) } },
    topics: { policyOf: () => place.policy, isMuted: () => place.is_muted },
  }
}
