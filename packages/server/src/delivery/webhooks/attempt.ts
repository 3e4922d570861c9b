import { serviceInterfaces } from '@parley/api/delivery/bots'
import type { WebhookPayload } from '@parley/api/delivery/webhooks'
import type { Selectable } from 'kysely'
import { type Caller, loadCaller } from '../../callers/caller.ts'
import { type Commits, type Context, transactIn } from '../../context.ts'
import type { BotServices } from '../../platform/db/tables.generated.ts'
import { InternalHosts } from '../../platform/outgoing/ip-addresses.ts'
import { guardedPost, type OutgoingAnswer } from '../../platform/outgoing/safe-fetch.ts'
import { type Delivery, findService, finish } from './deliveries.ts'
import { slackForm } from './payload.ts'
import { signedHeaders } from './signature.ts'

export type Delivering = Commits & Pick<Context, 'config' | 'vault' | 'realms' | 'renderer'>

export interface Taken<D extends Delivery> {
  delivery: D
  bot: Caller
}

/** Everything that is needed for one attempt. */
export interface Attempt<D extends Delivery> extends Taken<D> {
  url: string
  form: number
  secret: string
  payload: object
}

/** Undefined for a deactivated bot. */
export async function accessTarget(ctx: Delivering, { realm_id, bot_id }: Pick<Delivery, 'realm_id' | 'bot_id'>) {
  const bot = await loadCaller(ctx.db, await ctx.realms.get(realm_id), bot_id)
  const service = await findService(ctx.db, realm_id, bot_id)
  return bot?.is_active && !bot.realm.deactivated && service ? { bot, service } : undefined
}

/** Undefined if the secrets cannot be read. */
export function openSecrets({ vault }: Delivering, service: Selectable<BotServices>) {
  const [token, secret] = [vault.tryOpen(service.token_sealed), vault.tryOpen(service.secret_sealed)]
  return token === undefined || secret === undefined ? undefined : { token, secret }
}

export const unreadable =
  'The keys of this bot cannot be read: the SECRET_KEY of the server has changed. The operator can restore it; otherwise create the bot again.'

export async function cancel(ctx: Delivering, delivery: Delivery): Promise<void> {
  await transactIn(ctx, delivery.realm_id, async (tx) => {
    await finish(tx, delivery, {
      status: 'cancelled',
      error: 'The bot was deactivated, or the message was deleted, or the bot can no longer read it.',
    })
  })
}

export function send(ctx: Delivering, attempt: Attempt<Delivery>, signal: AbortSignal): Promise<OutgoingAnswer> {
  const { delivery, bot, url, form, secret, payload } = attempt
  const isSlack = form === serviceInterfaces.slack
  const body = isSlack ? slackForm(bot, payload as WebhookPayload).toString() : JSON.stringify(payload)
  return guardedPost({
    url,
    body,
    headers: {
      'content-type': isSlack ? 'application/x-www-form-urlencoded' : 'application/json',
      'user-agent': 'ParleyOutgoingWebhook/1.0',
      ...signedHeaders(secret, `delivery_${delivery.id}`, new Date(), body),
    },
    internal: new InternalHosts(ctx.config.internalWebhooks),
    signal,
  })
}
