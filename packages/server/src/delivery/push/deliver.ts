import { createHash } from 'node:crypto'
import { type Caller, loadCaller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import { publicUrlOf } from '../../organization/realms/hosts.ts'
import { InternalHosts } from '../../platform/outgoing/ip-addresses.ts'
import { guardedPost, OutgoingFailure } from '../../platform/outgoing/safe-fetch.ts'
import { encrypt } from '../../platform/web-push/encrypt.ts'
import { vapidAuthorization } from '../../platform/web-push/vapid.ts'
import { burstOf } from './bursts.ts'
import { type Notification, type Push, readNotification, removal, testNotification } from './notification.ts'
import {
  type Delivery,
  finish,
  finishSent,
  keptSeconds,
  maxAttempts,
  postpone,
  readRemovals,
  recordFailure,
  recordSending,
  retryLater,
  takeDelivery,
  waitForQuietEnd,
  waitUntilAway,
} from './push-deliveries.ts'
import { testMessage } from './web-push-actions.ts'

type Deps = Pick<Context, 'pushKeys' | 'config' | 'db' | 'vault' | 'realms'>

/** Makes the next due attempt for a browser. Returns whether there was one. */
export async function deliverNext(
  ctx: Deps,
  realmId: number,
  subscriptionId: number,
  signal: AbortSignal,
): Promise<boolean> {
  const delivery = await takeDelivery(ctx.db, realmId, subscriptionId)
  if (!delivery) return false
  const viewer = await loadCaller(ctx.db, await ctx.realms.get(delivery.realm_id), delivery.user_id)
  if (!viewer?.is_active || viewer.realm.deactivated || delivery.attempts > maxAttempts) {
    await finish(ctx.db, delivery, { outcome: 'dropped', reason: 'expired', detail: null })
    return true
  }
  const push = await pushOf(ctx, viewer, delivery)
  if ('quietUntil' in push) await waitForQuietEnd(ctx.db, delivery, push.quietUntil)
  else if ('waitSeconds' in push) await waitUntilAway(ctx.db, delivery, push.waitSeconds)
  else if ('outcome' in push) await finish(ctx.db, delivery, push)
  else await sendJoined(ctx, viewer, delivery, push, signal)
  return true
}

/** Of many pushes about a conversation, one counts the others. */
async function sendJoined(
  ctx: Deps,
  viewer: Caller,
  delivery: Delivery,
  push: Push,
  signal: AbortSignal,
): Promise<void> {
  const isAboutMessage = delivery.verb === 'show' && delivery.message_id !== testMessage
  const burst = isAboutMessage ? await burstOf(ctx.db, viewer, delivery) : { count: 1 }
  if (burst === 'joined') await finish(ctx.db, delivery, { outcome: 'dropped', reason: 'burst', detail: null })
  else if ('until' in burst) await postpone(ctx.db, delivery, 'burst', burst.until)
  else await attempt(ctx, viewer, delivery, counted(push, burst.count), signal)
}

function counted(push: Push, count: number): Push {
  return count > 1 ? { ...push, content: { ...push.content, count } } : push
}

/** What the user may see, and wants to, at the time of sending. */
async function pushOf({ db }: Deps, viewer: Caller, { message_id, verb }: Delivery) {
  if (verb === 'remove') return { content: removal(viewer, []), isUrgent: false, reason: null }
  if (message_id === testMessage) return { content: testNotification(viewer), isUrgent: true, reason: null }
  return readNotification(db, viewer, message_id)
}

/** What is to be closed goes along. */
async function attempt(ctx: Deps, viewer: Caller, delivery: Delivery, push: Push, signal: AbortSignal): Promise<void> {
  const isShown = delivery.verb === 'show'
  if (isShown) await recordSending(ctx.db, delivery, push.reason)
  const removed = await readRemovals(ctx.db, delivery.realm_id, delivery.subscription_id)
  const content = removed.length > 0 ? { ...push.content, removed } : push.content
  const answer = await send(ctx, viewer, delivery, { ...push, content }, signal).catch(answerOf)
  const { status, retryAfterSeconds } = answer
  if (isAccepted(status)) return finishSent(ctx.db, delivery, removed)
  const isRepeated = !isGone(status) && isTemporary(status) && delivery.attempts < maxAttempts
  await recordFailure(ctx.db, delivery, detailOf(answer), isRepeated ? 'again' : isGone(status) ? 'gone' : 'final')
  if (isRepeated)
    await retryLater(ctx.db, delivery, { retryAfterSeconds, isUncounted: status === 'again' && signal.aborted })
}

function isAccepted(status: Status): boolean {
  return typeof status === 'number' && status >= 200 && status < 300
}

/** For support: what the push service answered. */
function detailOf({ status, problem }: Answer): string {
  return typeof status === 'number' ? `status ${status}` : (problem ?? 'not reached').slice(0, 200)
}

type Status = number | 'again' | 'impossible'

interface Answer {
  status: Status
  retryAfterSeconds?: number | undefined
  problem?: string
}

function answerOf(error: unknown): Answer {
  if (error instanceof OutgoingFailure) return { status: error.again ? 'again' : 'impossible', problem: error.message }
  throw error
}

/** Unknown to the push service, or registered with other keys than ours. */
function isGone(status: Status): boolean {
  return status === 401 || status === 403 || status === 404 || status === 410
}

function isTemporary(status: Status): boolean {
  return status === 'again' || status === 429 || (typeof status === 'number' && status >= 500)
}

async function send(
  ctx: Deps,
  { realm }: Caller,
  { endpoint, public_key, auth_secret }: Delivery,
  { content, isUrgent }: Push,
  signal: AbortSignal,
): Promise<Answer> {
  const contact = publicUrlOf(ctx.config.publicUrl, realm) ?? 'https://localhost'
  return guardedPost({
    url: endpoint,
    body: encrypt(Buffer.from(JSON.stringify(content)), { publicKey: public_key, authSecret: auth_secret }),
    headers: {
      authorization: vapidAuthorization(await ctx.pushKeys.read(), endpoint, contact),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(keptSeconds),
      // Two removals do not replace each other.
      ...(content.tag !== 'removed' && { topic: topicOf(content) }),
      urgency: isUrgent ? 'high' : 'normal',
    },
    internal: new InternalHosts(ctx.config.internalWebhooks),
    signal,
  })
}

/** Of the notifications of a conversation, the push service keeps the newest. At most 32 letters, which tell it nothing. */
function topicOf({ tag, organization }: Notification): string {
  return createHash('sha256').update(`${organization} ${tag}`).digest('base64url').slice(0, 32)
}
