import * as api from '@parley/api/people/status'
import { transactIn } from '../../context.ts'
import { isZulipClient } from '../../http/serving/client-info.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { shownEmoji } from '../../organization/emoji/reaction-types.ts'
import { recordVisibility } from '../presence/actions.ts'
import { accessUser } from '../users/queries.ts'
import { accessOwnAccount, changeSettings } from '../users/settings/own-settings.ts'
import { accessStatusChange, changeStatus, emitStatus } from './actions.ts'
import { readStatus } from './queries.ts'

export function statusRoutes(app: App): void {
  serve(app, api.updateStatus, async ({ ctx, user, params }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const change = await accessStatusChange(tx, params)
      const own = await accessOwnAccount(tx, user)
      await changeStatus(tx, own.caller, change)
      const away = params.away === undefined ? {} : { away: params.away }
      if (params.away !== undefined) {
        const { presence_enabled } = await changeSettings(tx, own, { presence_enabled: !params.away })
        if (presence_enabled !== undefined) await recordVisibility(tx, own.caller, !params.away)
      }
      await emitStatus(tx, own.caller, { ...away, ...change })
    })
    return {}
  })

  serve(app, api.getStatus, async ({ ctx, user, path, request }) => {
    await accessUser(ctx.db, user, path.user_id)
    return { status: shownEmoji(await readStatus(ctx.db, user, path.user_id), isZulipClient(request)) }
  })
}
