import type { ServerEvent } from '@parley/api/events'
import type { MessageFlag } from '@parley/api/messages'
import type { Rendered } from '@parley/markdown/render'
import { topicLinks } from '@parley/markdown/topic-links'
import { sql } from 'kysely'
import type { Audience, Personal } from '../../events/log.ts'
import type { Tx } from '../../events/transact.ts'
import { many } from '../../platform/db/query.ts'
import type { Realm } from '../../realms/state.ts'
import { flagsOf } from '../fetch/message-objects.ts'
import { audienceOf } from '../model/audience.ts'
import { type Entry, historyPolicy } from '../model/edit-history.ts'
import { flagBits } from '../model/flag-bits.ts'
import { isMeMessage } from '../model/normalize-text.ts'
import { isUnreadBy } from '../model/read-state.ts'
import { wasSubscribed } from '../model/received.ts'
import type { Editing } from './lock-for-edit.ts'
import type { Move } from './move-result.ts'

type UpdateMessage = Extract<ServerEvent, { type: 'update_message' }>

export interface NewContent {
  content: string
  rendered: Rendered
}

export interface Edited {
  realm: Realm
  editing: Editing
  edit: Pick<Entry, 'user_id' | 'timestamp'>
  draft: NewContent | undefined
  move: Move | undefined
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
  const audience = recipients ? { users: recipients } : await audienceOf(tx.db, conversation, [message.id])
  return { audience, personal: await readPersonal(tx, message.id, audience) }
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

function moveFields({ linkifiers }: Realm, { from, to, mode }: Move) {
  return {
    propagate_mode: mode,
    orig_subject: from.topic.name,
    ...(from.topic.name !== to.topic.name && {
      subject: to.topic.name,
      topic_links: topicLinks(to.topic.name, linkifiers),
    }),
    ...(from.channel.id !== to.channel.id && { new_stream_id: to.channel.id }),
  }
}

interface FlagGroup {
  flags: number
  is_unread: boolean
  is_received: boolean
  mentions_everybody: boolean
  users: number[]
}

/** Each user's current flags for the message: the most common flags for everyone, and exceptions by user id. */
export async function readPersonal(tx: Tx, messageId: number, audience: Audience): Promise<Personal> {
  const groups = await readFlags(tx, messageId, audience)
  const [largest, ...others] = groups.sort((a, b) => b.users.length - a.users.length)
  if (!largest) return {}
  const exceptions = others.flatMap((group) => group.users.map((user) => [user, eventFlags(group)] as const))
  return { everyone: eventFlags(largest), ...(exceptions.length > 0 && { instead: Object.fromEntries(exceptions) }) }
}

/** Users who did not receive the message get only `read`, even if the move created flags for them. */
function eventFlags(group: FlagGroup): MessageFlag[] {
  const isNew = group.flags === (flagBits.read | flagBits.historical)
  return group.is_received && !isNew ? flagsOf(group).filter((flag) => flag !== 'wildcard_mentioned') : ['read']
}

async function readFlags(tx: Tx, messageId: number, { channel, users = [] }: Audience): Promise<FlagGroup[]> {
  const realm = sql`${tx.realmId}::bigint`
  const user = sql`r.user_id`
  const floor = sql`coalesce(d.read_floor, s.read_floor)`
  // Compared with the column of the joined message, all subscriptions of the realm would be read.
  const channelOfMessage = sql`(select channel_id from messages where realm_id = ${realm} and id = ${messageId})`
  return many<FlagGroup>(tx.db)`
    with readers as (
      select unnest(${users}::bigint[]) as user_id
      union
      select user_id from subscriptions where realm_id = ${realm} and channel_id = ${channel ?? null} and is_active
    ), states as (
      select r.user_id, coalesce(f.flags, 0) as flags, m.mentions_channel, f.message_id is not null as has_record,
             m.channel_id is null or ${wasSubscribed({ realm, user, channel: sql`m.channel_id` })} as is_covered,
             ${isUnreadBy({ user, floor })} as is_unread
        from readers r
        join messages m on m.realm_id = ${realm} and m.id = ${messageId}
        left join message_flags f on f.realm_id = ${realm} and f.user_id = r.user_id and f.message_id = m.id
        left join direct_participants d on d.realm_id = ${realm} and d.user_id = r.user_id and d.recipient_id = m.recipient_id
        left join subscriptions s on s.realm_id = ${realm} and s.user_id = r.user_id and s.channel_id = ${channelOfMessage} and s.is_active
    )
    select flags, array_agg(user_id order by user_id) as users, has_record or is_covered as is_received,
           (mentions_channel and is_covered) or flags & ${sql.lit(flagBits.stream_wildcard_mentioned)} <> 0 as mentions_everybody,
           is_unread
      from states group by 1, 3, 4, 5`
}
