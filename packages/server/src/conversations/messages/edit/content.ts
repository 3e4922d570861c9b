import { lookup } from '@parley/api/lookup'
import { wildcardsIn } from '@parley/markdown/references/mentions'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Context } from '../../../context.ts'
import { loader } from '../../../events/commit/loader.ts'
import type { Tx } from '../../../events/transact.ts'
import { findUsers } from '../../../people/users/find-users.ts'
import { emailDueAt } from '../../../people/users/settings/email-period.ts'
import { allDone } from '../../../platform/db/pipelined.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { accessMessage } from '../model/access.ts'
import { readParticipants } from '../model/audience.ts'
import type { Entry } from '../model/edit-history.ts'
import { flagBits } from '../model/flag-bits.ts'
import { normalizeContent } from '../model/normalize-text.ts'
import { sentDuringPeriod } from '../model/received.ts'
import { rendersFast } from '../rendering/renderer.ts'
import { attentionOf } from '../send/attention.ts'
import { renderAs } from '../send/compose.ts'
import type { Destination } from '../send/destination.ts'
import { accessMentions } from '../send/mentions.ts'
import { checkContentEdit } from './checks.ts'
import type { Editing } from './lock-for-edit.ts'
import type { NewContent } from './update-event.ts'

/** Replaces content that its author cleared. */
const deletedContent = '(deleted)'

/**
 * Renders the new content before the transaction starts, so that the transaction holds its locks only briefly.
 * Authorizes the caller first if the text takes long to render; the transaction checks again in any case.
 */
export async function renderEdit(
  ctx: Pick<Context, 'db' | 'renderer'>,
  caller: Caller,
  messageId: number,
  content: string | undefined,
  realmUrl: string,
): Promise<NewContent | undefined> {
  if (content === undefined) return undefined
  if (!rendersFast(content)) await accessContentEdit(ctx.db, caller, messageId)
  const text = content.trim() === '' ? deletedContent : normalizeContent(content)
  return { content: text, rendered: await renderAs(ctx, caller, text, realmUrl) }
}

async function accessContentEdit(db: Db, caller: Caller, messageId: number): Promise<void> {
  const { sender_id, date_sent } = await accessMessage(db, caller, messageId)
  checkContentEdit(caller, { sender_id, age_seconds: (Date.now() - date_sent.getTime()) / 1000 })
}

/** The ids of the users that the new content mentions or alerts, by message flag. */
export type MentionedUsers = Record<'mentioned' | 'topic_wildcard_mentioned' | 'has_alert_word', number[]>

/** Finds the users that the new content mentions or alerts. Throws if the caller may not mention them. */
export async function accessMentioned(
  tx: Tx,
  caller: Caller,
  { message, place }: Editing,
  { content, rendered }: NewContent,
): Promise<MentionedUsers> {
  const destination: Destination = place
    ? { kind: 'channel', channel: place.channel, topic: place.topic.name }
    : { kind: 'direct', participants: await readDirectUsers(tx, caller, message.recipient_id) }
  const { users, bots, participants } = await accessMentions(
    tx.db,
    caller,
    destination,
    rendered,
    wildcardsIn(message.rendered_content),
  )
  const { alerted } = await attentionOf(tx.db, caller.state, caller.id, destination, content)
  return { mentioned: [...users, ...bots], topic_wildcard_mentioned: participants, has_alert_word: alerted }
}

async function readDirectUsers(tx: Tx, caller: Caller, recipientId: number) {
  return findUsers(tx.db, caller.state, await readParticipants(tx, recipientId))
}

/** Stores the new content, with an entry in the history if there is an edit, and updates the mention and alert flags of every recipient. */
export async function changeContent(
  tx: Tx,
  { message, edit }: Pick<Editing, 'message'> & { edit: Editing['edit'] | null },
  { content, rendered }: NewContent,
  mentionedUsers: MentionedUsers,
): Promise<void> {
  const mentionsChannel = rendered.channelWildcard
  const entry: Entry | null = edit && {
    ...edit,
    prev_content: message.content,
    prev_rendered_content: message.rendered_content,
  }
  await allDone([
    storeContent(tx, {
      id: message.id,
      content,
      html: rendered.html,
      entry: entry && JSON.stringify(entry),
      has_link: rendered.hasLink,
      has_image: rendered.hasImage,
      mentions_channel: mentionsChannel,
    }),
    updateMentionFlags(tx, mentionRows(message.id, mentionedUsers, mentionsChannel)),
  ])
  if (mentionsChannel && !wildcardsIn(message.rendered_content).channelWildcard) await notifyChannel(tx, message.id)
}

/** The new text has no previews of the pages that it links to. */
export async function planPreviews(
  tx: Tx,
  { realm }: Caller,
  messageId: number,
  { rendered }: NewContent,
): Promise<void> {
  if (!realm.settings.inline_url_embed_preview || rendered.previewUrls.length === 0) return
  await sql`
    insert into pending_previews (realm_id, message_id) values (${tx.realmId}, ${messageId})
    on conflict (realm_id, message_id) do update set due_at = now(), attempts = 0`.execute(tx.db)
}

const contentColumns = {
  id: 'bigint',
  content: 'text',
  html: 'text',
  entry: 'jsonb',
  has_link: 'boolean',
  has_image: 'boolean',
  mentions_channel: 'boolean',
} as const

const storeContent = loader(
  contentColumns,
  ({ realmId }, k) => sql<object>`
    update messages m
       set content = k.content, rendered_content = k.html, has_link = k.has_link, has_image = k.has_image,
           mentions_channel = k.mentions_channel, 
           edit_history = case when k.entry is null then m.edit_history else append_edit(m.edit_history, k.entry) end
      from ${k} where m.realm_id = ${realmId} and m.id = k.id`,
)

declare module '../../../platform/jobs/tasks.ts' {
  interface Tasks {
    plan_channel_emails: { message_id: number }
  }
}

/** Notifies the subscribers of the channel, as sending a message that mentions all of them does. */
async function notifyChannel(tx: Tx, messageId: number): Promise<void> {
  await tx.enqueue('plan_channel_emails', { message_id: messageId })
  await sql`
    insert into web_push_deliveries (subscription_id, realm_id, message_id)
    select w.id, w.realm_id, m.id from messages m
      join web_push_subscriptions w on w.realm_id = m.realm_id and w.user_id <> m.sender_id
      join subscriptions s on s.realm_id = m.realm_id and s.user_id = w.user_id and s.channel_id = m.channel_id and s.is_active
     where m.realm_id = ${tx.realmId} and m.id = ${messageId}
    on conflict do nothing`.execute(tx.db)
}

const { mentioned, topic_wildcard_mentioned, stream_wildcard_mentioned, has_alert_word, received } = flagBits
const mentionBits = sql.lit(mentioned | topic_wildcard_mentioned | stream_wildcard_mentioned | has_alert_word)

/** A row for each mention, and one without a user for the message. */
function mentionRows(message_id: number, mentionedUsers: MentionedUsers, mentions_channel: boolean) {
  const mentions = Object.entries(mentionedUsers).flatMap(([flag, users]) =>
    users.map((user_id) => ({ message_id, mentions_channel, user_id, bit: lookup(flagBits, flag)! })),
  )
  return [{ message_id, mentions_channel, user_id: null, bit: null }, ...mentions]
}

const mentionColumns = { message_id: 'bigint', mentions_channel: 'boolean', user_id: 'bigint', bit: 'integer' } as const

/**
 * A channel wildcard mention is stored with the message (`mentions_channel`). Only users who received the message
 * through a move have it in their own flags. Users who were not mentioned before are notified.
 */
const updateMentionFlags = loader(
  mentionColumns,
  ({ realmId }, k) => sql<object>`
    with changed as materialized (
      select * from ${k}
    ), mentioned as (
      select message_id, user_id, bit_or(bit) as flags from changed where user_id is not null group by message_id, user_id
    ), holders as (
      select f.message_id, f.user_id from message_flags f where f.realm_id = ${realmId} and f.message_id = any(array(select message_id from changed))
      union
      select m.id, d.user_id from messages m join direct_participants d on d.realm_id = m.realm_id and d.recipient_id = m.recipient_id
       where m.realm_id = ${realmId} and m.id = any(array(select message_id from changed))
      union
      select m.id, p.user_id from mentioned c join messages m on m.realm_id = ${realmId} and m.id = c.message_id
        join subscription_periods p on p.realm_id = m.realm_id and p.user_id = c.user_id and p.channel_id = m.channel_id
                                   and ${sentDuringPeriod}
    ), decided as (
      select h.message_id, h.user_id, coalesce(f.flags, 0) as before,
             coalesce(f.flags, 0) & ~${mentionBits} | coalesce(c.flags, 0)
             | case when f.flags & ${sql.lit(received)} <> 0 and f.message_id in (select message_id from changed where mentions_channel)
                    then ${sql.lit(stream_wildcard_mentioned)} else 0 end as flags
        from holders h
        left join mentioned c on c.message_id = h.message_id and c.user_id = h.user_id
        left join message_flags f on f.realm_id = ${realmId} and f.user_id = h.user_id and f.message_id = h.message_id
    ), pushed as (
      insert into web_push_deliveries (subscription_id, realm_id, message_id)
      select w.id, w.realm_id, d.message_id from decided d
        join web_push_subscriptions w on w.realm_id = ${realmId} and w.user_id = d.user_id
       where d.flags & ~d.before & ${mentionBits} <> 0
      on conflict do nothing
    ), mailed as (
      insert into email_notifications (realm_id, user_id, message_id, due_at, expires_at)
      select u.realm_id, u.id, d.message_id, w.due_at, w.due_at + interval '1 day' from decided d
        join email_cursors c on c.realm_id = ${realmId}
        join users u on u.realm_id = ${realmId} and u.id = d.user_id and u.is_active and u.bot_type is null
       cross join lateral (select ${emailDueAt} as due_at) w
       where d.flags & ~d.before & ${mentionBits} <> 0
       order by u.id, d.message_id
      on conflict do nothing
    )
    insert into message_flags (realm_id, user_id, message_id, flags)
    select ${realmId}, user_id, message_id, flags from decided where flags <> before
     order by message_id, user_id
    on conflict (realm_id, user_id, message_id)
    do update set flags = message_flags.flags & ~${mentionBits} | (excluded.flags & ${mentionBits})`,
)
