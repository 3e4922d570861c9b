import type { Caller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import { accessMessage, InvalidMessage, type Message } from '../../conversations/messages/model/access.ts'
import { type SendRequest, sendIn } from '../../conversations/messages/send/send.ts'
import { column, one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { AcceptedEmail, MailOutcome } from './accepted-emails.ts'
import { writeContent } from './message-content.ts'
import type { ParsedEmail } from './parse-email.ts'
import { postOnce, realmUrlOf } from './post-once.ts'
import { automaticReason, isFrom, isVerified } from './who-speaks.ts'

class MessageGone extends ApiError {
  constructor() {
    super('The message that you answered was deleted, or you can no longer read it.')
  }
}

/** Posts a reply by its author, by the rules for every message. */
export async function postReply(
  ctx: Context,
  email: AcceptedEmail,
  author: Caller,
  parsed: ParsedEmail,
): Promise<MailOutcome> {
  const automatic = automaticReason(parsed)
  if (automatic !== undefined) return { outcome: 'dropped', reason: automatic }
  if (!isFrom(parsed, author.email)) return { outcome: 'dropped', reason: 'another person wrote it' }
  const verified = isVerified(parsed, ctx.config.mailIn!)
  if (verified === false) return { outcome: 'dropped', reason: 'the mail server has not confirmed who wrote it' }
  const place = await replyRecipient(ctx, await accessAnswered(ctx, author, email))
  const content = await writeContent(ctx, author, parsed, { isVerified: verified === true })
  const request: SendRequest = { ...place, content, client: 'Email', readBySender: true, ...realmUrlOf(ctx, author) }
  return postOnce(ctx, email, author, (tx) => sendIn(tx, ctx, author, request))
}

function accessAnswered({ db }: Context, author: Caller, { message_id }: AcceptedEmail): Promise<Message> {
  return accessMessage(db, author, message_id!).catch((error: unknown) => {
    throw error instanceof InvalidMessage ? new MessageGone() : error
  })
}

/** Where the message is now: it may have been moved. */
async function replyRecipient({ db }: Context, message: Message): Promise<Pick<SendRequest, 'type' | 'to' | 'topic'>> {
  const { id, channel_id, topic_id, recipient_id } = message
  if (channel_id === null) {
    const to = await column<number>(db)`
      select p.user_id from messages m
        join direct_participants p on p.realm_id = m.realm_id and p.recipient_id = m.recipient_id
       where m.id = ${id} and m.recipient_id = ${recipient_id}`
    return { type: 'direct', to }
  }
  const { name } = await one<{ name: string }>(db)`
    select t.name from messages m join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
     where m.id = ${id} and t.id = ${topic_id}`
  return { type: 'channel', to: channel_id, topic: name }
}
