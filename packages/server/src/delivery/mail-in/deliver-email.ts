import { buffer } from 'node:stream/consumers'
import { type Caller, loadCaller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
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
import { takeReport } from './bounces/bounces.ts'
import { bounceOption } from './mailbox.ts'
import type { Options, ParsedEmail } from './parse-email.ts'
import { parseInWorker } from './parse-in-worker.ts'
import { postReply } from './post-reply.ts'
import { postToChannel } from './post-to-channel.ts'
import { refuse } from './refuse.ts'

/** Posts an accepted email, or records why not. Repeated until one of both has happened. */
export async function deliverIncoming(ctx: Context, job: Job<'deliver_incoming_email'>): Promise<void> {
  if (!ctx.config.mailIn)
    throw new Error('This process posts emails, too: give it the same MAIL_IN_DOMAIN and MAIL_IN_AUTH as the servers.')
  const email = await findAccepted(ctx.db, job.realm_id, job.email_id)
  if (!email) return
  if (email.options.includes(bounceOption)) return takeBounce(ctx, email)
  const parsed = await read(ctx, email)
  const author = await authorOf(ctx, email)
  const result = parsed ? await resultOf(ctx, email, author, parsed) : unreadable
  if (result.outcome === 'sent') return
  await transactIn(ctx, email.realm_id, async (tx) => {
    if (!(await lockAccepted(tx, email))) return
    await settle(tx, email, result)
    if (result.outcome === 'refused' && author && email.channel_id === null)
      await refuse(tx, email, author.id, parsed!.subject, result.reason)
  })
}

/** Counted and settled together: a report counts once. */
async function takeBounce(ctx: Context, email: AcceptedEmail): Promise<void> {
  const file = await ctx.files.open(email.path)
  const raw = file ? await buffer(file.read()) : Buffer.alloc(0)
  await transactIn(ctx, email.realm_id, async (tx) => {
    if (!(await lockAccepted(tx, email))) return
    const owner = { realmId: email.realm_id, userId: email.user_id! }
    await settle(tx, email, await takeReport(tx.db, owner, raw))
  })
}

const readAttempts = 3

/** Undefined if it cannot be read, also not on later attempts: the machine may be busy. */
async function read(ctx: Context, email: AcceptedEmail): Promise<ParsedEmail | undefined> {
  const file = await ctx.files.open(email.path)
  if (!file) return undefined
  await countAttempt(ctx.db, email)
  const owner = `${email.realm_id} ${email.user_id}`
  const parsed = await parseInWorker(owner, await buffer(file.read()), optionsOf(email))
  if (!parsed && email.attempts + 1 < readAttempts) throw new Error('An email could not be read; it is tried again.')
  return parsed
}

function optionsOf({ options }: AcceptedEmail): Options {
  const has = (option: string) => options.includes(option)
  return { footer: has('include-footer'), quotes: has('include-quotes'), html: has('prefer-html') }
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
  if (!author?.is_active) return { outcome: 'dropped', reason: 'the account is deactivated' }
  const post = email.channel_id === null ? postReply : postToChannel
  try {
    return await post(ctx, email, author, parsed)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error instanceof QueueFull) throw error
    return { outcome: 'refused', reason: error.message }
  }
}
