import type { ServerEvent } from '@parley/api/events'
import { topicLinks } from '@parley/markdown/references/topic-links'
import type { Rendered } from '@parley/markdown/render'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Audience, Personal } from '../../../events/log.ts'
import type { Tx } from '../../../events/transact.ts'
import { audienceOf } from '../model/audience.ts'
import { type Entry, historyPolicy } from '../model/edit-history.ts'
import { isMeMessage } from '../model/normalize-text.ts'
import type { Move } from '../move/move-result.ts'
import { readPersonal } from './event-flags.ts'
import type { Editing } from './lock-for-edit.ts'

type UpdateMessage = Extract<ServerEvent, { type: 'update_message' }>

export interface NewContent {
  content: string
  rendered: Rendered
}

export interface Edited {
  realm: Realm
  editing: Editing
  edit: Pick<Entry, 'user_id' | 'timestamp'>
  draft?: NewContent | undefined
  move?: Move
}

export interface EventAudience {
  audience: Audience
  personal: Personal
}

/** The users who can read the message, with the flags of each. */
export async function readEventAudience(
  tx: Tx,
  { message, place }: Editing,
  recipients: number[] | undefined,
): Promise<EventAudience> {
  const conversation = { realm_id: tx.realmId, recipient_id: message.recipient_id, channel: place?.channel ?? null }
  const audience = recipients ? { users: recipients } : await audienceOf(tx, conversation, [message.id])
  return { audience, personal: await readPersonal(tx, { id: message.id, audience }) }
}

export function emitUpdateMessage(tx: Tx, edited: Edited, { audience, personal }: EventAudience): void {
  tx.emit(eventOf(edited), audience, null, personal)
}

function eventOf({ realm, editing: { message, place }, edit, draft, move }: Edited): UpdateMessage {
  return {
    type: 'update_message',
    user_id: edit.user_id,
    rendering_only: false,
    message_id: message.id,
    message_ids: move?.ids ?? [message.id],
    flags: [],
    edit_timestamp: edit.timestamp,
    ...(place && { stream_id: place.channel.id, stream_name: place.channel.name }),
    ...(draft && {
      // The previous content is part of the edit history and follows its visibility.
      ...(historyPolicy(realm) === 'all' && {
        orig_content: message.content,
        orig_rendered_content: message.rendered_content,
      }),
      content: draft.content,
      rendered_content: draft.rendered.html,
      is_me_message: isMeMessage(draft.content),
    }),
    ...(move && moveFields(realm, move)),
  }
}

function moveFields({ linkifiers }: Realm, { from, to, mode, count, total }: Move) {
  return {
    ...(total !== undefined && { move_progress: { moved: count, total: Math.max(count, total) } }),
    propagate_mode: mode,
    orig_subject: from.topic.name,
    ...(from.topic.name !== to.topic.name && {
      subject: to.topic.name,
      topic_links: topicLinks(to.topic.name, linkifiers),
    }),
    ...(from.channel.id !== to.channel.id && { new_stream_id: to.channel.id }),
  }
}
