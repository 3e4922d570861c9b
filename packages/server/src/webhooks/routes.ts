import { botTypes } from '@parley/api/bots'
import type { WebhookPayload } from '@parley/api/webhooks'
import * as api from '@parley/api/webhooks'
import { accessBot, accessBotToChange } from '../bots/access.ts'
import { type Context, transactIn } from '../context.ts'
import { type App, serve } from '../http/serve.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { Caller } from '../users/caller.ts'
import { findService, latestDelivery, readDeliveries, replay } from './deliveries.ts'
import { payloadOf, readWebhookMessage, samplePayload } from './payload.ts'

export function webhookRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.getWebhookPayload, ({ user }) =>
    user.bot_type === botTypes.outgoingWebhook ? ownPayload(ctx, user) : Promise.resolve(samplePayload(user)),
  )

  serve(app, api.getDeliveries, async ({ user, path, params }) => {
    const bot = await accessBot(ctx.db, user, path.bot_id)
    return { deliveries: await readDeliveries(ctx.db, user.realm_id, bot.id, params) }
  })

  serve(app, api.replayDelivery, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const { actor, bot } = await accessBotToChange(tx, user, path.bot_id)
      await replay(tx, bot.id, path.delivery_id)
      await tx.audit(actor.id, 'delivery_replayed', { user_id: bot.id, delivery_id: path.delivery_id })
    })
    return {}
  })

  serve(app, api.getWebhookSecret, async ({ user, path }) => {
    const bot = await accessBot(ctx.db, user, path.bot_id)
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
