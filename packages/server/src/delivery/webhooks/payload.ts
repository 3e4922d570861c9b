import type { WebhookMessage, WebhookPayload } from '@parley/api/delivery/webhooks'
import type { Caller } from '../../callers/caller.ts'
import { fakeDomain } from '../../callers/realm-state.ts'
import { messageObjects } from '../../conversations/messages/fetch/message-objects.ts'
import { accessibleMessages } from '../../conversations/messages/model/access.ts'
import { historyColumn } from '../../conversations/messages/model/edit-history.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { exists } from '../../platform/db/query.ts'

/** Endpoints cannot declare the capability `empty_topic_name`. */
const form = { apply_markdown: false, client_gravatar: false, allow_empty_topic_name: false, is_zulip_client: false }

/**
 * The message as a bot's endpoint receives it. A bot can be mentioned in a channel that it cannot read. It then gets the
 * message only if it is unchanged since it was sent, because later edits and moves are not meant for the bot.
 */
export async function readWebhookMessage(db: Db, bot: Caller, messageId: number): Promise<WebhookMessage | undefined> {
  const [readable] = await accessibleMessages(db, bot, [messageId])
  if (!readable && !(await isUnchanged(db, bot.realm_id, messageId))) return undefined
  const [object] = await messageObjects(db, bot, [messageId], form)
  if (!object) return undefined
  const row = await db
    .selectFrom('messages')
    .select('rendered_content')
    .where(matches({ realm_id: bot.realm_id, id: messageId }))
    .executeTakeFirst()
  if (!row) return undefined
  const { flags: _, ...message } = object
  return { ...message, rendered_content: row.rendered_content }
}

/** Whether a message was neither edited nor moved after it was sent. */
async function isUnchanged(db: Db, realmId: number, messageId: number): Promise<boolean> {
  return exists(db)`
    select 1 from messages m where m.realm_id = ${realmId} and m.id = ${messageId} and ${historyColumn} = '[]'`
}

export function payloadOf(
  bot: Caller,
  token: string,
  trigger: WebhookPayload['trigger'],
  message: WebhookMessage,
): WebhookPayload {
  return { bot_email: bot.email, bot_full_name: bot.full_name, data: message.content, trigger, token, message }
}

/** The payload in the format of Slack's outgoing webhooks, which does not support direct messages. */
export function slackForm(bot: Caller, { token, trigger, message }: WebhookPayload): URLSearchParams {
  return new URLSearchParams({
    token,
    team_id: `T${bot.realm_id}`,
    team_domain: fakeDomain(bot.realm),
    channel_id: `C${message.stream_id}`,
    channel_name: String(message.display_recipient),
    thread_ts: String(message.timestamp),
    timestamp: String(message.timestamp),
    user_id: `U${message.sender_id}`,
    user_name: message.sender_full_name,
    text: message.content,
    trigger_word: trigger,
    service_id: String(bot.id),
  })
}

/** An example payload without data of real users. */
export function samplePayload({ realm, ...caller }: Caller): WebhookPayload {
  const isBot = caller.bot_type !== null
  const host = fakeDomain(realm)
  return {
    bot_email: isBot ? caller.email : `example-bot@${host}`,
    bot_full_name: isBot ? caller.full_name : 'Example',
    data: '@**Example** hello',
    trigger: 'mention',
    token: 'ExampleTokenOf32LettersAndDigits',
    message: {
      id: 1,
      type: 'stream',
      sender_id: 1,
      sender_email: `user@${host}`,
      sender_full_name: 'Example User',
      sender_realm_str: realm.string_id,
      avatar_url: `https://secure.gravatar.com/avatar/${'0'.repeat(32)}?d=identicon&version=1`,
      client: 'website',
      content: '@**Example** hello',
      rendered_content: '<p><span class="user-mention" data-user-id="1">@Example</span> hello</p>',
      content_type: 'text/x-markdown',
      display_recipient: 'general',
      recipient_id: 1,
      stream_id: 1,
      subject: 'greetings',
      topic_links: [],
      is_me_message: false,
      timestamp: 1_700_000_000,
      reactions: [],
      submessages: [],
    },
  }
}
