import { type Caller, loadCaller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import { findActiveChannel } from '../../conversations/channels/access.ts'
import { checkPosting } from '../../conversations/channels/posting-access.ts'
import { cutTopic } from '../../conversations/messages/model/normalize-text.ts'
import { renderReply, sendReply } from '../../conversations/messages/send/reply.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { isPrintable } from '../../platform/text.ts'
import type { AcceptedEmail, MailOutcome } from './accepted-emails.ts'
import { writeContent } from './message-content.ts'
import type { ParsedEmail } from './parse-email.ts'
import { postOnce } from './post-once.ts'
import { channelAutomaticReason, isFrom, isVerified } from './who-speaks.ts'

/**
 * Posts an email to the address of a channel, in the name of a bot or of the user who got the address. Anyone with the address
 * may post through a bot; as a user only the user may. It takes what it took when it was created: while its creator may post.
 */
export async function postToChannel(
  ctx: Context,
  email: AcceptedEmail,
  sender: Caller,
  parsed: ParsedEmail,
): Promise<MailOutcome> {
  const automatic = channelAutomaticReason(parsed)
  if (automatic !== undefined) return { outcome: 'dropped', reason: automatic }
  const verified = isVerified(parsed, ctx.config.mailIn!) === true
  if (sender.bot_type === null && !mayBe(ctx, parsed, sender, verified))
    return { outcome: 'dropped', reason: 'another person wrote it, or the mail server has not confirmed who did' }
  const channel = await accessTarget(ctx, email)
  const topic = topicOf(parsed.subject)
  const head = headOf(email, parsed, topic, verified)
  const content = await writeContent(ctx, sender, parsed, {
    head,
    isVerified: verified,
    isMarked: sender.bot_type === null,
  })
  const reply = await renderReply(ctx, sender, { content, client: 'Email' })
  return postOnce(ctx, email, sender, async (tx) => {
    const id = await sendReply(tx, sender, { kind: 'channel', channel, topic }, reply)
    return { id, mentioned: [] }
  })
}

/** As themselves, people speak only with their own email. */
function mayBe({ config }: Context, parsed: ParsedEmail, sender: Caller, isVerified: boolean): boolean {
  return isFrom(parsed, sender.email) && (isVerified || config.mailIn!.authority === undefined)
}

/** The channel, if the user who got the address may still post there. */
async function accessTarget({ db, realms }: Context, { realm_id, channel_id, creator_id }: AcceptedEmail) {
  const creator = await loadCaller(db, await realms.get(realm_id), creator_id!)
  const channel = await findActiveChannel(db, realm_id, channel_id!)
  if (!creator?.is_active || !channel) throw new ApiError('The channel was archived, or the account is deactivated.')
  await checkPosting(db, creator, channel)
  return channel
}

/** What programs put before the subject of an answer, in 12 languages. */
const answerPrefix =
  /^(?:re|aw|antw|sv|vs|ref|rif|r|odp|ha|fwd?|wg|tr|rv|enc|i|pd|doorst|отв|на|回复|回覆|答复|转发|轉寄|رد|إعادة توجيه)\s?(?:\[\d{1,3}\])?\s?[:：]\s*/i
const mostPrefixes = 10

/** The subject without prefixes. Topics cannot have every character. */
export function topicOf(subject: string): string {
  let rest = [...subject].filter(isPrintable).join('').trim()
  for (let count = 0; count < mostPrefixes && answerPrefix.test(rest); count++) rest = rest.replace(answerPrefix, '')
  return cutTopic(rest) || 'Email without a subject'
}

function headOf({ options }: AcceptedEmail, parsed: ParsedEmail, topic: string, isVerified: boolean): string {
  const { subject, from, fromName } = parsed
  const isCut = subject.length > topic.length && topic.endsWith('...')
  const author = `${fromName} <${from.join(', ')}>`.trim()
  return [
    ...(isCut ? [`**${subject.replaceAll('*', '')}**`] : []),
    ...(options.includes('show-sender') ? [`From: ${asText(author)}${isVerified ? '' : ' (not verified)'}`] : []),
  ].join('\n')
}

/** A name can contain anything; in code it mentions nobody. */
function asText(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``
}
