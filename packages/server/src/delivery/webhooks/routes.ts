import type { WebhookPayload } from '@parley/api/delivery/webhooks'
import * as api from '@parley/api/delivery/webhooks'
import { botTypes } from '@parley/api/kinds'
import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { confirmSession } from '../../identity/passwords/credentials.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { networkOf } from '../../platform/http/network.ts'
import { accessBot, accessBotToChange } from '../bots/access.ts'
import { findService, latestDelivery, readDeliveries, replay } from './deliveries.ts'
import { payloadOf, readWebhookMessage, samplePayload } from './payload.ts'

export function webhookRoutes(app: App): void {
  serve(app, api.getWebhookPayload, ({ ctx, user }) =>
    user.bot_type === botTypes.outgoingWebhook ? ownPayload(ctx, user) : Promise.resolve(samplePayload(user)),
  )

  serve(app, api.getDeliveries, async ({ ctx, user, path, params }) => {
    const bot = await accessBot(ctx.db, user, path.bot_id)
    return { deliveries: await readDeliveries(ctx.db, user.realm_id, bot.id, params) }
  })

  serve(app, api.replayDelivery, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const { actor, bot } = await accessBotToChange(tx, user, path.bot_id)
      await replay(tx, bot.id, path.delivery_id)
      await tx.audit(actor.id, 'delivery_replayed', { user_id: bot.id, delivery_id: path.delivery_id })
    })
    return {}
  })

  serve(app, api.getWebhookSecret, async ({ ctx, user, path, request }) => {
    const bot = await accessBot(ctx.db, user, path.bot_id)
    await confirmSession(ctx, user, undefined, networkOf(request.ip))
    const service = await findService(ctx.db, user.realm_id, bot.id)
    if (!service) throw new ApiError('This is not an outgoing webhook bot.')
    return { secret: ctx.vault.open(service.secret_sealed) }
  })
}

/** The latest payload sent to the bot's endpoint, or an example if there is none. */
async function ownPayload({ db, vault }: Context, bot: Caller): Promise<WebhookPayload> {
  const sample = samplePayload(bot)
  const service = await findService(db, bot.realm_id, bot.id)
  if (!service) return sample
  const token = vault.open(service.token_sealed)
  const latest = await latestDelivery(db, bot.realm_id, bot.id)
  const message = latest && (await readWebhookMessage(db, bot, latest.message_id))
  return message ? payloadOf(bot, token, latest.trigger, message) : { ...sample, token }
}
