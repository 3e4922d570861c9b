import { buffer } from 'node:stream/consumers'
import { type Caller, loadCaller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { accessMessage, InvalidMessage, type Message } from '../../conversations/messages/model/access.ts'
import { type SendRequest, type Sent, sendIn } from '../../conversations/messages/send/send.ts'
import { policyAfterSending } from '../../conversations/topics/automatic-policies.ts'
import { knownUrlOf } from '../../organization/realms/hosts.ts'
import { column, one } from '../../platform/db/query.ts'
import { QueueFull } from '../../platform/fair-queue.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Job } from '../../platform/jobs/tasks.ts'
import {
  type AcceptedEmail,
  countAttempt,
  findAccepted,
  lockAccepted,
  type MailOutcome,
  settle,
} from './accepted-emails.ts'
import { writeContent } from './message-content.ts'
import type { ParsedEmail } from './parse-email.ts'
import { parseInWorker } from './parse-in-worker.ts'
import { refuse } from './refuse.ts'
import { automaticReason, isFrom, isVerified } from './who-speaks.ts'

/** Posts an accepted email, or records why not. Repeated until one of both has happened. */
export async function deliverIncoming(ctx: Context, job: Job<'deliver_incoming_email'>): Promise<void> {
  const email = await findAccepted(ctx.db, job.realm_id, job.email_id)
  if (!email) return
  const parsed = await read(ctx, email)
  const author = await authorOf(ctx, email)
  const result = parsed ? await resultOf(ctx, email, author, parsed) : unreadable
  if (result.outcome === 'sent') return
  await transactIn(ctx, email.realm_id, async (tx) => {
    if (!(await lockAccepted(tx, email))) return
    await settle(tx, email, result)
    if (result.outcome === 'refused' && author) await refuse(tx, email, author.id, parsed!.subject, result.reason)
  })
}

const readAttempts = 3

/** Undefined if it cannot be read, also not on later attempts: the machine may be busy. */
async function read(ctx: Context, email: AcceptedEmail): Promise<ParsedEmail | undefined> {
  const file = await ctx.files.open(email.path)
  if (!file) return undefined
  await countAttempt(ctx.db, email)
  const parsed = await parseInWorker(`${email.realm_id} ${email.user_id}`, await buffer(file.read()), {})
  if (!parsed && email.attempts + 1 < readAttempts) throw new Error('An email could not be read; it is tried again.')
  return parsed
}

const unreadable: MailOutcome = { outcome: 'dropped', reason: 'it cannot be read' }

async function authorOf({ db, realms }: Context, { realm_id, user_id }: AcceptedEmail): Promise<Caller | undefined> {
  return user_id === null ? undefined : loadCaller(db, await realms.get(realm_id), user_id)
}

async function resultOf(
  ctx: Context,
  email: AcceptedEmail,
  author: Caller | undefined,
  parsed: ParsedEmail,
): Promise<MailOutcome> {
  const automatic = automaticReason(parsed)
  if (automatic !== undefined) return { outcome: 'dropped', reason: automatic }
  if (!author?.is_active) return { outcome: 'dropped', reason: 'the account is deactivated' }
  if (!isFrom(parsed, author.email)) return { outcome: 'dropped', reason: 'another person wrote it' }
  const verified = isVerified(parsed, ctx.config.mailIn!)
  if (verified === false) return { outcome: 'dropped', reason: 'the mail server has not confirmed who wrote it' }
  try {
    return await post(ctx, email, author, parsed, verified === true)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error instanceof QueueFull) throw error
    return { outcome: 'refused', reason: reasonOf(error) }
  }
}

function reasonOf(error: ApiError): string {
  if (error instanceof InvalidMessage) return 'The message that you answered was deleted, or you can no longer read it.'
  return error.message
}

/** Stores the message and the outcome in one transaction, so that it is posted once. */
async function post(
  ctx: Context,
  email: AcceptedEmail,
  author: Caller,
  parsed: ParsedEmail,
  isVerified: boolean,
): Promise<MailOutcome> {
  const answered = await accessMessage(ctx.db, author, email.message_id!)
  const content = await writeContent(ctx, author, parsed, isVerified)
  const request: SendRequest = {
    ...(await placeOf(ctx, answered)),
    content,
    client: 'Email',
    readBySender: true,
    ...realmUrl(ctx, author),
  }
  const sent = await transactIn(ctx, email.realm_id, async (tx) => {
    if (!(await lockAccepted(tx, email))) return undefined
    const message = await sendIn(tx, ctx, author, request)
    await settle(tx, email, { outcome: 'sent', sent_message_id: message.id })
    return message
  })
  if (sent) await followTopic(ctx, author, sent)
  return { outcome: 'sent', sent_message_id: sent?.id ?? 0 }
}

function realmUrl({ config }: Context, { realm }: Caller): { realmUrl?: string } {
  const url = knownUrlOf(config, realm)
  return url === undefined ? {} : { realmUrl: url }
}

/** Where the message is now: it may have been moved. */
async function placeOf({ db }: Context, message: Message): Promise<Pick<SendRequest, 'type' | 'to' | 'topic'>> {
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

/** As after every message. It is already sent, so that an error here changes nothing. */
async function followTopic(ctx: Context, author: Caller, sent: Sent): Promise<void> {
  await policyAfterSending(ctx, author, sent).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'Could not update the topic policies after an email.'),
  )
}
