import * as api from '@parley/api/organization/server-settings'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { changeAsOwner, isOnlyRealm } from './owner-settings.ts'

export function serverSettingRoutes(app: App): void {
  serve(app, api.getOwnServer, async ({ ctx, user }) => ({
    may_change: await isOnlyRealm(ctx.db, user.realm_id),
    maintenance: ctx.settings.maintenance,
    rate_limit: ctx.settings.rateLimit,
    default_rate_limit: ctx.config.rateLimit,
    host: user.realm.host,
    sends_email: ctx.mailer !== undefined,
    may_change_emails: user.can_change_user_emails,
  }))

  serve(app, api.updateOwnServer, async ({ ctx, user, params }) => {
    await transactIn(ctx, user.realm_id, (tx) => changeAsOwner(tx, user, params))
    await ctx.settings.refresh()
    return {}
  })
}
