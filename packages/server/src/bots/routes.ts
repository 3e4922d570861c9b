import * as api from '@parley/api/bots'
import { changeRoleAndVisibility } from '../accounts/change-account.ts'
import { revokeKeys } from '../accounts/revoke-keys.ts'
import { transactIn } from '../context.ts'
import { type App, serve } from '../http/serve.ts'
import { endQueuesOf } from '../queues/end-queues.ts'
import { fakeDomain } from '../realms/state.ts'
import { reloadCaller } from '../users/authenticate.ts'
import { storingAvatar } from '../users/avatars.ts'
import type { Caller } from '../users/caller.ts'
import { findUsers } from '../users/find-users.ts'
import { apiEmail, avatarUrl } from '../users/user-object.ts'
import { accessBot, accessBotToChange, checkMayCreate } from './access.ts'
import { createBot, deactivateBot, replaceKey, updateBot } from './actions.ts'
import { defaultsFor, keyFor, opened } from './objects.ts'
import { type BotRow, readOwnBots } from './queries.ts'
import { checkIsBot, forget, readStorage, store } from './storage.ts'

export function botRoutes(app: App): void {
  const { ctx } = app
  const open = opened(ctx.vault)
  const deps = { vault: ctx.vault, changeRole: changeRoleAndVisibility }

  serve(app, api.getBots, async ({ user }) => {
    const own = await readOwnBots(ctx.db, user)
    return {
      bots: own.map((bot) => ({
        username: bot.email,
        full_name: bot.full_name,
        api_key: keyFor(bot, user, open),
        avatar_url: avatarOf(bot, user),
        ...defaultsFor(bot, user),
      })),
    }
  })

  serve(app, api.createBot, async ({ user, params, request: { upload } }) => {
    checkMayCreate(user, params.bot_type)
    const bot = await storingAvatar(ctx.files, user, upload, (avatar_path) =>
      transactIn(ctx, user.realm_id, async (tx) =>
        createBot(tx, ctx.vault, await reloadCaller(tx.db, user), { ...params, ...(avatar_path && { avatar_path }) }),
      ),
    )
    return {
      user_id: bot.id,
      api_key: keyFor(bot, user, open),
      avatar_url: avatarOf(bot, user),
      ...defaultsFor(bot, user),
    }
  })

  serve(app, api.updateBot, async ({ user, path, params, request: { upload } }) => {
    await accessBot(ctx.db, user, path.bot_id)
    const bot = await storingAvatar(ctx.files, user, upload, (avatar_path) =>
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

  serve(app, api.deactivateBot, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const { actor, bot } = await accessBotToChange(tx, user, path.bot_id)
      if (!bot.is_active) return
      await revokeKeys(tx, { vault: ctx.vault, realm: actor.realm, actorId: actor.id }, [bot.id])
      await deactivateBot(tx, actor, bot)
    })
    return {}
  })

  serve(app, api.getBotApiKey, async ({ user, path }) => {
    const bot = await accessBot(ctx.db, user, path.bot_id)
    return { api_key: keyFor(bot, user, open) }
  })

  serve(app, api.regenerateBotApiKey, ({ user, path }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      const { actor, bot } = await accessBotToChange(tx, user, path.bot_id)
      await endQueuesOf(tx, [bot.id])
      return { api_key: await replaceKey(tx, ctx.vault, actor, bot) }
    }),
  )

  storageRoutes(app)
}

function storageRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.getBotStorage, async ({ user, params }) => {
    checkIsBot(user)
    return { storage: await readStorage(ctx.db, user, params.keys) }
  })

  serve(app, api.updateBotStorage, async ({ user, params }) => {
    checkIsBot(user)
    await transactIn(ctx, user.realm_id, (tx) => store(tx, user, params.storage))
    return {}
  })

  serve(app, api.deleteBotStorage, async ({ user, params }) => {
    checkIsBot(user)
    await transactIn(ctx, user.realm_id, (tx) => forget(tx, user, params.keys))
    return {}
  })
}

function avatarOf(bot: BotRow, { realm }: Caller): string {
  return avatarUrl(bot, fakeDomain(realm))
}
