import type { ServerEvent } from '@parley/api/events'
import type { MessageFlag } from '@parley/api/messages'
import type { Rendered } from '@parley/markdown/render'
import { topicLinks } from '@parley/markdown/topic-links'
import { sql } from 'kysely'
import type { Audience, Personal } from '../../events/log.ts'
import type { Tx } from '../../events/transact.ts'
import type { Fragment } from '../../platform/db/fragment.ts'
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

interface FlagGroup {
  flags: number
  is_unread: boolean
  is_received: boolean
  mentions_everybody: boolean
  /** Null for the largest group. */
  users: number[] | null
}

/** Each user's current flags for the message: the most common flags for everyone, and exceptions by user id. */
export async function readPersonal(tx: Tx, messageId: number, audience: Audience): Promise<Personal> {
  const groups = await readFlags(tx, messageId, audience)
  const largest = groups.find(({ users }) => users === null)
  if (!largest) return {}
  const exceptions = groups.flatMap((group) => (group.users ?? []).map((user) => [user, eventFlags(group)] as const))
  return { everyone: eventFlags(largest), ...(exceptions.length > 0 && { instead: Object.fromEntries(exceptions) }) }
}

/** Users who did not receive the message get only `read`, even if the move created flags for them. */
function eventFlags(group: FlagGroup): MessageFlag[] {
  const isNew = group.flags === (flagBits.read | flagBits.historical)
  return group.is_received && !isNew ? flagsOf(group).filter((flag) => flag !== 'wildcard_mentioned') : ['read']
}

async function readFlags(tx: Tx, messageId: number, { channel, users = [] }: Audience): Promise<FlagGroup[]> {
  const realm = sql`${tx.realmId}::bigint`
  const wasThere = wasSubscribed({ realm, user: sql`r.user_id`, channel: sql`m.channel_id` })
  return many<FlagGroup>(tx.db)`
    with m as materialized (
      select id, recipient_id, channel_id, sender_id, read_by_sender, mentions_channel
        from messages where realm_id = ${realm} and id = ${messageId}
    ), readers as (
      ${subscribedReaders(realm, messageId, channel)} ${users.length > 0 ? givenReaders(realm, users) : sql``}
    ), states as (
      select r.user_id, coalesce(f.flags, 0) as flags, m.mentions_channel, f.user_id is not null as has_record,
             m.channel_id is null or r.was_there or ${wasThere} as is_covered,
             ${isUnreadBy({ user: sql`r.user_id`, floor: sql`r.floor` })} as is_unread
        from m cross join readers r
        left join (select user_id, flags from message_flags where realm_id = ${realm} and message_id = ${messageId}) f
          on f.user_id = r.user_id
    ), grouped as (
      select flags, has_record or is_covered as is_received, is_unread, array_agg(user_id) as users,
             (mentions_channel and is_covered) or flags & ${sql.lit(flagBits.stream_wildcard_mentioned)} <> 0 as mentions_everybody
        from states group by 1, 2, 3, 5
    )
    select flags, is_received, is_unread, mentions_everybody,
           case when row_number() over (order by cardinality(users) desc) > 1 then users end as users
      from grouped`
}

/** Subscribers. `was_there` is true for those who certainly received the message: all who did not subscribe after it. */
function subscribedReaders(realm: Fragment, messageId: number, channel: number | undefined): Fragment {
  const ofChannel = sql`realm_id = ${realm} and channel_id = ${channel ?? null}`
  return sql`
    select user_id, read_floor as floor,
           user_id not in (select user_id from subscription_periods
                            where ${ofChannel} and to_message is null and from_message >= ${messageId}) as was_there
      from subscriptions where ${ofChannel} and is_active`
}

/** Other readers, with their read floors. */
function givenReaders(realm: Fragment, users: number[]): Fragment {
  // Compared with the column of the joined message, all subscriptions of the realm would be read.
  return sql`
    union
    select u.user_id, coalesce(d.read_floor, s.read_floor), false
      from unnest(${users}::bigint[]) as u(user_id)
      left join direct_participants d on d.realm_id = ${realm} and d.user_id = u.user_id
                                     and d.recipient_id = (select recipient_id from m)
      left join subscriptions s on s.realm_id = ${realm} and s.user_id = u.user_id
                               and s.channel_id = (select channel_id from m) and s.is_active`
}
