import { createHash } from 'node:crypto'
import { type Caller, loadCaller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import { publicUrlOf } from '../../organization/realms/hosts.ts'
import { InternalHosts } from '../../platform/outgoing/ip-addresses.ts'
import { guardedPost, OutgoingFailure } from '../../platform/outgoing/safe-fetch.ts'
import { encrypt } from '../../platform/web-push/encrypt.ts'
import { vapidAuthorization } from '../../platform/web-push/vapid.ts'
import { type Notification, type Push, readNotification, testNotification } from './notification.ts'
import {
  type Delivery,
  finish,
  keptSeconds,
  maxAttempts,
  removeSubscription,
  retryLater,
  takeDelivery,
  waitUntilAway,
} from './push-deliveries.ts'
import { vapidKeys } from './vapid-keys.ts'
import { testMessage } from './web-push-actions.ts'

type Deps = Pick<Context, 'config' | 'db' | 'vault' | 'realms'>

/** Makes the next due attempt for a browser. Returns whether there was one. */
export async function deliverNext(ctx: Deps, subscriptionId: number, signal: AbortSignal): Promise<boolean> {
  const delivery = await takeDelivery(ctx.db, subscriptionId)
  if (!delivery) return false
  const viewer = await loadCaller(ctx.db, await ctx.realms.get(delivery.realm_id), delivery.user_id)
  const push = viewer?.is_active && !viewer.realm.deactivated && (await pushOf(ctx, viewer, delivery))
  if (push && 'waitSeconds' in push) await waitUntilAway(ctx.db, delivery, push.waitSeconds)
  else if (push && delivery.attempts <= maxAttempts) await attempt(ctx, viewer, delivery, push, signal)
  else await finish(ctx.db, delivery)
  return true
}

/** What the user may see, and wants to, at the time of sending. */
async function pushOf({ db }: Deps, viewer: Caller, { message_id }: Delivery) {
  if (message_id === testMessage) return { content: testNotification(viewer), isUrgent: true }
  return readNotification(db, viewer, message_id)
}

async function attempt(ctx: Deps, viewer: Caller, delivery: Delivery, push: Push, signal: AbortSignal): Promise<void> {
  const { status, retryAfterSeconds } = await send(ctx, viewer, delivery, push, signal).catch(answerOf)
  if (isGone(status)) return removeSubscription(ctx.db, delivery)
  if (isTemporary(status) && delivery.attempts < maxAttempts)
    return retryLater(ctx.db, delivery, { retryAfterSeconds, isUncounted: status === 'again' && signal.aborted })
  await finish(ctx.db, delivery)
}

type Status = number | 'again' | 'impossible'

interface Answer {
  status: Status
  retryAfterSeconds?: number | undefined
}

function answerOf(error: unknown): Answer {
  if (error instanceof OutgoingFailure) return { status: error.again ? 'again' : 'impossible' }
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
      authorization: vapidAuthorization(await vapidKeys(ctx), endpoint, contact),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(keptSeconds),
      topic: topicOf(content),
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
