import type { ParamsOf } from '@parley/api/operation'
import * as api from '@parley/api/people/presence'
import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { accessUser, accessUserByEmail } from '../users/queries.ts'
import { recordPresence } from './actions.ts'
import { legacyPresences, modernPresences, readPresence, readPresences, serverTimestamp } from './queries.ts'

const defaultHistoryDays = 14

export function presenceRoutes(app: App): void {
  serve(app, api.updatePresence, async ({ ctx, user, params }) => {
    await transactIn(ctx, user.realm_id, (tx) => recordPresence(tx, user, params.status))
    return params.ping_only ? {} : readOthersPresence(ctx, user, params)
  })

  serve(app, api.getRealmPresence, async ({ ctx, user }) => {
    const { rows } = await readPresences(ctx.db, user, { historyDays: defaultHistoryDays, after: -1 })
    return { presences: await legacyPresences(rows, user), server_timestamp: serverTimestamp() }
  })

  serve(app, api.getUserPresence, async ({ ctx, user, path }) => {
    const { id, bot_type } = await accessUserByIdOrEmail(ctx, user, path.user_id_or_email)
    if (bot_type !== null) throw new ApiError('Presence is not supported for bot users.')
    const presence = await readPresence(ctx.db, user, id)
    if (!presence) throw new ApiError(`No presence data for ${path.user_id_or_email}`)
    return { presence }
  })
}

function accessUserByIdOrEmail({ db }: Context, user: Caller, idOrEmail: string) {
  const isId = /^\d{1,15}$/.test(idOrEmail)
  return isId ? accessUser(db, user, Number(idOrEmail)) : accessUserByEmail(db, user, idOrEmail)
}

async function readOthersPresence({ db }: Context, user: Caller, params: ParamsOf<typeof api.updatePresence>) {
  const { last_update_id, slim_presence, history_limit_days } = params
  const isModern = slim_presence || last_update_id !== undefined
  const { rows, lastUpdateId } = await readPresences(db, user, {
    historyDays: history_limit_days,
    after: last_update_id ?? -1,
  })
  return {
    presences: await (isModern ? modernPresences(rows) : legacyPresences(rows, user)),
    presence_last_update_id: lastUpdateId,
    server_timestamp: serverTimestamp(),
  }
}
