import * as api from '@parley/api/delivery/bots'
import type { ParamsOf } from '@parley/api/operation'
import type { FastifyRequest } from 'fastify'
import { apiEmail } from '../../callers/api-email.ts'
import { reloadCaller } from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import { isSession } from '../../callers/credential.ts'
import { fakeDomain } from '../../callers/realm-state.ts'
import { transactIn } from '../../context.ts'
import { endQueuesOf } from '../../events/end-queues.ts'
import { lockRow } from '../../events/lock-row.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { changeRoleAndVisibility } from '../../identity/accounts/change-account.ts'
import { revokeKeys } from '../../identity/accounts/revoke-keys.ts'
import { confirmSession } from '../../identity/passwords/credentials.ts'
import { storingAvatar } from '../../people/users/avatars/avatars.ts'
import { findUsers } from '../../people/users/find-users.ts'
import { avatarUrl } from '../../people/users/user-object.ts'
import { networkOf } from '../../platform/http/network.ts'
import { checkNarrow } from '../queues/queue-narrow.ts'
import { findService } from '../webhooks/deliveries.ts'
import { accessBot, accessBotToChange, checkMayCreate } from './access.ts'
import { createBot, deactivateBot, replaceKey, updateBot } from './actions.ts'
import { defaultsFor, keyFor, opened } from './objects.ts'
import { type BotRow, readOwnBots } from './queries.ts'
import { checkIsBot, forget, readStorage, store } from './storage.ts'

export function botRoutes(app: App): void {
  const { ctx } = app
  const open = opened(ctx.vault)
  const confirm = (user: Caller, request: FastifyRequest, password?: string) =>
    confirmSession(ctx, user, password, networkOf(request.ip))
  const deps = { vault: ctx.vault, changeRole: changeRoleAndVisibility }

  serve(app, api.getBots, async ({ ctx, user }) => {
    const own = await readOwnBots(ctx.db, user)
    return {
      bots: own.map((bot) => ({
        username: bot.email,
        full_name: bot.full_name,
        api_key: isSession(user) ? '' : keyFor(bot, user, open),
        avatar_url: avatarOf(bot, user),
        ...defaultsFor(bot, user),
      })),
    }
  })

  serve(app, api.createBot, async ({ ctx, user, params: { password, ...params }, request }) => {
    checkMayCreate(user, params.bot_type)
    await confirm(user, request, password)
    const bot = await storingAvatar(ctx.files, user, request.upload, (avatar_path) =>
      transactIn(ctx, user.realm_id, async (tx) => {
        await lockRow(tx, 'users', user.id) // the role of the bot depends on the owner's
        const actor = await reloadCaller(tx.db, user)
        return createBot(tx, ctx.vault, actor, { ...params, ...(avatar_path && { avatar_path }) })
      }),
    )
    return {
      user_id: bot.id,
      api_key: keyFor(bot, user, open),
      avatar_url: avatarOf(bot, user),
      ...defaultsFor(bot, user),
    }
  })

  serve(app, api.updateBot, async ({ ctx, user, path, params: { password, ...params }, request }) => {
    checkNarrow((params.filter ?? []) as [string, string][])
    const before = await accessBot(ctx.db, user, path.bot_id)
    if (handsOver(before, params)) await confirm(user, request, password)
    const bot = await storingAvatar(ctx.files, user, request.upload, (avatar_path) =>
      transactIn(ctx, user.realm_id, async (tx) => {
        const { actor, bot } = await accessBotToChange(tx, user, path.bot_id, params.bot_owner_id)
        if ((params.bot_owner_id ?? bot.bot_owner_id) !== bot.bot_owner_id) await endQueuesOf(tx, [bot.id])
        return updateBot(tx, deps, actor, bot, { ...params, ...(avatar_path && { avatar_path }) })
      }),
    )
    const [owner] = bot.bot_owner_id === null ? [] : await findUsers(ctx.db, user.state, [bot.bot_owner_id])
    return {
      full_name: bot.full_name,
      avatar_url: avatarOf(bot, user),
      service_interface: bot.interface,
      service_payload_url: bot.base_url,
      config_data: bot.config_data,
      ...defaultsFor(bot, user),
      ...(owner && { bot_owner: apiEmail(owner, fakeDomain(user.realm)) }),
    }
  })

  serve(app, api.deactivateBot, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const { actor, bot } = await accessBotToChange(tx, user, path.bot_id)
      if (!bot.is_active) return
      await revokeKeys(tx, { vault: ctx.vault, realm: actor.realm, actorId: actor.id }, [bot.id])
      await deactivateBot(tx, actor, bot)
    })
    return {}
  })

  serve(app, api.getBotApiKey, async ({ ctx, user, path, request }) => {
    const bot = await accessBot(ctx.db, user, path.bot_id)
    await confirm(user, request)
    return { api_key: keyFor(bot, user, open) }
  })

  serve(app, api.getBotSecrets, async ({ ctx, user, path, params, request }) => {
    const bot = await accessBot(ctx.db, user, path.bot_id)
    await confirm(user, request, params.password)
    const service = await findService(ctx.db, user.realm_id, bot.id)
    return {
      api_key: keyFor(bot, user, open),
      webhook_token: service ? open(service.token_sealed) : null,
      webhook_secret: service ? open(service.secret_sealed) : null,
    }
  })

  serve(app, api.regenerateBotApiKey, async ({ ctx, user, path, params, request }) => {
    await accessBot(ctx.db, user, path.bot_id)
    await confirm(user, request, params.password)
    return transactIn(ctx, user.realm_id, async (tx) => {
      const { actor, bot } = await accessBotToChange(tx, user, path.bot_id)
      await endQueuesOf(tx, [bot.id])
      return { api_key: await replaceKey(tx, ctx.vault, actor, bot) }
    })
  })

  storageRoutes(app)
}

function storageRoutes(app: App): void {
  serve(app, api.getBotStorage, async ({ ctx, user, params }) => {
    checkIsBot(user)
    return { storage: await readStorage(ctx.db, user, params.keys) }
  })

  serve(app, api.updateBotStorage, async ({ ctx, user, params }) => {
    checkIsBot(user)
    await transactIn(ctx, user.realm_id, (tx) => store(tx, user, params.storage))
    return {}
  })

  serve(app, api.deleteBotStorage, async ({ ctx, user, params }) => {
    checkIsBot(user)
    await transactIn(ctx, user.realm_id, (tx) => forget(tx, user, params.keys))
    return {}
  })
}

/** Whether another person or server gets the secrets of the bot. */
function handsOver({ bot_owner_id, base_url }: BotRow, params: ParamsOf<typeof api.updateBot>): boolean {
  const changes = (value: unknown, current: unknown) => value !== undefined && value !== current
  return changes(params.bot_owner_id, bot_owner_id) || changes(params.service_payload_url, base_url)
}

function avatarOf(bot: BotRow, { realm }: Caller): string {
  return avatarUrl(bot, fakeDomain(realm))
}
