import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, loadCaller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import { knownUrlOf } from '../../organization/realms/hosts.ts'
import { matches } from '../../platform/db/matches.ts'
import { emailFailure } from '../mail/mailer.ts'
import type { EmailText } from '../mail/templates.ts'
import { today, writeReplyAddress } from '../mail-in/reply-address.ts'
import { decideAll } from '../notifications/decide.ts'
import {
  discard,
  maxAttempts,
  type Owner,
  release,
  retryLater,
  type Taken,
  takeDue,
  workSeconds,
} from './due-emails.ts'
import { unsubscribeToken } from './turn-off-emails.ts'
import { writeEmail } from './write-email.ts'

export type Deps = Pick<Context, 'config' | 'db' | 'log' | 'mailer' | 'realms' | 'vault'>

/**
 * Sends the emails that a user is due, one for each conversation. Returns whether there were any.
 *
 * Messages are removed after the mail server has accepted their email. A process that dies in between causes a second email
 * with the same Message-ID; none is lost.
 */
export async function deliverTo(ctx: Deps, owner: Owner, signal: AbortSignal): Promise<boolean> {
  const taken = await takeDue(ctx.db, owner)
  const [obsolete, wanted] = split(taken, ({ is_expired, attempts }) => is_expired || attempts > maxAttempts)
  if (obsolete.length > 0) await discard(ctx.db, owner, obsolete)
  const conversations = [...Map.groupBy(wanted, ({ conversation }) => conversation).values()]
  const endsAt = performance.now() + workSeconds * 1000
  for (const [index, messages] of conversations.entries()) {
    const rest = () => conversations.slice(index).flat()
    if (signal.aborted || performance.now() > endsAt) {
      await release(ctx.db, owner, rest())
      break
    }
    if (await isDone(ctx, owner, messages, signal)) await discard(ctx.db, owner, messages)
    else {
      await retryLater(ctx.db, owner, rest())
      break
    }
  }
  return taken.length > 0
}

function split<T>(items: T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

/** Sends the email about one conversation, if there is one. False: it must be retried. */
async function isDone(ctx: Deps, owner: Owner, messages: Taken[], signal: AbortSignal): Promise<boolean> {
  const viewer = await loadCaller(ctx.db, await ctx.realms.get(owner.realmId), owner.userId)
  const content = viewer && isReachable(viewer) && (await contentFor(ctx, viewer, messages))
  if (!content || !ctx.mailer) return true
  const ended = new AbortController()
  try {
    const sent = ctx.mailer.send({ name: viewer.full_name, address: viewer.email }, content)
    await Promise.race([sent, patience(AbortSignal.any([signal, ended.signal]))])
    return true
  } catch (error) {
    const { isPermanent, reason } = emailFailure(error)
    ctx.log.warn({ realm: owner.realmId, user: owner.userId, reason }, 'an email about messages was not accepted')
    return isPermanent
  } finally {
    ended.abort()
  }
}

/** Emails of this domain exist in no mail server (RFC 2606). */
function isReachable({ is_active, bot_type, realm, email }: Caller): boolean {
  return is_active && bot_type === null && !realm.deactivated && !/[@.]invalid$/i.test(email)
}

/** Of long lists, only the newest are looked at, because messages can be large. */
const maxMessages = 50

/** What the user may see, and wants to, at the time of sending. */
async function contentFor(ctx: Deps, viewer: Caller, messages: Taken[]): Promise<EmailText | undefined> {
  const url = knownUrlOf(ctx.config, viewer.realm)
  if (url === undefined) return undefined
  const ids = messages.slice(-maxMessages).map(({ message_id }) => message_id)
  const decided = (await decideAll(ctx.db, viewer, ids)).filter(({ decision }) => decision.email !== undefined)
  if (decided.length === 0) return undefined
  const token = unsubscribeToken(ctx.vault, { realmId: viewer.realm_id, userId: viewer.id })
  const { conversation } = messages[0]!
  const replyAddress = await replyAddressOf(ctx, viewer, decided.at(-1)!.message.id)
  const letter = { viewer, url, replyAddress, conversation, unsubscribeUrl: `${url}/unsubscribe/${token}` }
  return writeEmail({ ...letter, leavesOutEarlier: messages.length > maxMessages }, decided)
}

/** Undefined if the server receives no email. */
async function replyAddressOf(
  { config: { mailIn }, db, vault }: Deps,
  { realm_id: realmId, id: userId }: Caller,
  messageId: number,
): Promise<string | undefined> {
  if (!mailIn) return undefined
  const own = db
    .selectFrom('users')
    .select('api_key_hash')
    .where(matches({ realm_id: realmId, id: userId }))
  const { api_key_hash } = await own.executeTakeFirstOrThrow()
  const address = { realmId, userId, messageId, day: today() }
  return `${writeReplyAddress(vault, address, api_key_hash)}@${mailIn.domain}`
}

const maxMilliseconds = 120_000
/** What the mail server gets to answer when the process stops. */
const graceMilliseconds = 2000

/** Rejects when an email takes too long. It may arrive nevertheless. */
async function patience(signal: AbortSignal): Promise<never> {
  await sleep(maxMilliseconds, undefined, { signal, ref: false }).catch(() =>
    sleep(graceMilliseconds, undefined, { ref: false }),
  )
  throw new Error('The mail server did not answer in time.')
}
