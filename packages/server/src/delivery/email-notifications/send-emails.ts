import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, loadCaller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import { knownUrlOf } from '../../organization/realms/hosts.ts'
import { matches } from '../../platform/db/matches.ts'
import { emailFailure } from '../mail/mailer.ts'
import type { EmailText } from '../mail/templates.ts'
import { writeBounceAddress } from '../mail-in/bounces/bounce-address.ts'
import { findDeadEmail, recordBounce } from '../mail-in/bounces/bounces.ts'
import { today, writeReplyAddress } from '../mail-in/reply-address.ts'
import { type Decided, decideAll } from '../notifications/decide.ts'
import { dropped } from '../notifications/trail.ts'
import {
  finish,
  maxAttempts,
  type Owner,
  type Result,
  release,
  retryLater,
  type Taken,
  takeDue,
  waitForQuietEnd,
  workSeconds,
} from './due-emails.ts'
import { muteToken, unsubscribeToken } from './turn-off-emails.ts'
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
  if (obsolete.length > 0) await finish(ctx.db, owner, dropAll(obsolete, 'expired'))
  const conversations = [...Map.groupBy(wanted, ({ conversation }) => conversation).values()]
  const endsAt = performance.now() + workSeconds * 1000
  for (const [index, messages] of conversations.entries()) {
    const rest = () => conversations.slice(index).flat()
    if (signal.aborted || performance.now() > endsAt) {
      await release(ctx.db, owner, rest())
      break
    }
    const results = await sendOne(ctx, owner, messages, signal)
    if (results) await finish(ctx.db, owner, results)
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

function dropAll(messages: Taken[], reason: string): Result[] {
  return messages.map(({ message_id }) => ({ message_id, outcome: 'dropped', reason, detail: null }))
}

/** Sends the email about one conversation, if there is one. Undefined: it must be retried. */
async function sendOne(ctx: Deps, owner: Owner, messages: Taken[], signal: AbortSignal): Promise<Result[] | undefined> {
  const viewer = await loadCaller(ctx.db, await ctx.realms.get(owner.realmId), owner.userId)
  if (!viewer || !isReachable(viewer) || !ctx.mailer) return dropAll(messages, 'unreachable')
  if (await findDeadEmail(ctx.db, owner)) return dropAll(messages, 'bouncing')
  const { content, results } = await contentFor(ctx, viewer, messages)
  if (!content) return results
  const ended = new AbortController()
  try {
    const sent = ctx.mailer.send(
      { name: viewer.full_name, address: viewer.email },
      withReturnPath(ctx, viewer, content),
    )
    await Promise.race([sent, patience(AbortSignal.any([signal, ended.signal]))])
    return results
  } catch (error) {
    const { isPermanent, isAboutRecipient, reason, status, detail } = emailFailure(error)
    if (isPermanent && isAboutRecipient) await recordBounce(ctx.db, owner, { status, detail })
    ctx.log.warn({ realm: owner.realmId, user: owner.userId, reason }, 'an email about messages was not accepted')
    return isPermanent ? results.map((result) => failed(result, reason)) : undefined
  } finally {
    ended.abort()
  }
}

/** Where mail servers report that the email did not arrive. */
function withReturnPath({ config: { mailIn }, vault }: Deps, viewer: Caller, content: EmailText): EmailText {
  if (!mailIn) return content
  const local = writeBounceAddress(vault, { realmId: viewer.realm_id, userId: viewer.id }, viewer.email)
  return { ...content, returnPath: `${local}@${mailIn.domain}` }
}

function failed(result: Result, reason: string): Result {
  return result.outcome === 'sent' ? { ...result, outcome: 'failed', detail: reason } : result
}

/** Emails of this domain exist in no mail server (RFC 2606). */
function isReachable({ is_active, bot_type, realm, email }: Caller): boolean {
  return is_active && bot_type === null && !realm.deactivated && !/[@.]invalid$/i.test(email)
}

/** Of long lists, only the newest are looked at, because messages can be large. */
const maxMessages = 50

/** What the user may see, and wants to, at the time of sending. */
async function contentFor(
  ctx: Deps,
  viewer: Caller,
  messages: Taken[],
): Promise<{ content?: EmailText; results: Result[] }> {
  const url = knownUrlOf(ctx.config, viewer.realm)
  if (url === undefined) return { results: dropAll(messages, 'unreachable') }
  const ids = messages.slice(-maxMessages).map(({ message_id }) => message_id)
  const all = await decideAll(ctx.db, viewer, ids)
  const wanted = all.filter(({ decision }) => decision.email !== undefined)
  const [quiet, decided] = split(wanted, ({ decision }) => decision.quietUntil !== undefined)
  await waitForQuiet(ctx, viewer, quiet)
  const waiting = new Set(quiet.map(({ message }) => message.id))
  const results = resultsOf(messages, all).filter(({ message_id }) => !waiting.has(message_id))
  if (decided.length === 0) return { results }
  const token = unsubscribeToken(ctx.vault, { realmId: viewer.realm_id, userId: viewer.id })
  const { conversation } = messages[0]!
  const replyAddress = await replyAddressOf(ctx, viewer, decided.at(-1)!.message.id)
  const topicId = /^topic-(\d+)$/.exec(conversation)?.[1]
  const owner = { realmId: viewer.realm_id, userId: viewer.id }
  const letter = {
    viewer,
    url,
    replyAddress,
    conversation,
    fromPattern: ctx.config.mailFromPattern,
    unsubscribeUrl: `${url}/unsubscribe/${token}`,
    muteUrl: topicId && `${url}/mute-topic/${muteToken(ctx.vault, owner, Number(topicId))}`,
  }
  const content = writeEmail({ ...letter, leavesOutEarlier: messages.length > maxMessages }, decided)
  return { content, results }
}

async function waitForQuiet({ db }: Deps, { realm_id, id }: Caller, quiet: Decided[]): Promise<void> {
  if (quiet.length === 0) return
  const until = Math.max(...quiet.map(({ decision }) => decision.quietUntil!))
  const ids = quiet.map(({ message }) => message.id)
  await waitForQuietEnd(db, { realmId: realm_id, userId: id }, ids, until)
}

/** Of each message. Those that are not looked at are left out of the email. */
function resultsOf(messages: Taken[], decided: Decided[]): Result[] {
  const byId = new Map(decided.map((one) => [one.message.id, one]))
  const unseen = messages.slice(0, -maxMessages)
  return [
    ...dropAll(unseen, 'earlier'),
    ...messages.slice(-maxMessages).map(({ message_id }): Result => {
      const reason = byId.get(message_id)?.decision.email
      return reason === undefined
        ? { message_id, ...dropped('email', byId.get(message_id)) }
        : { message_id, outcome: 'sent', reason, detail: null }
    }),
  ]
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
