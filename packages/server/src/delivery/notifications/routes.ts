import * as api from '@parley/api/delivery/notifications'
import { isAdmin } from '@parley/api/permissions'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { accessUser } from '../../people/users/queries.ts'
import { deliveryEmail } from '../../people/users/user-object.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { requestTestMail } from '../mail/actions.ts'
import { listDeadEmails, reviveEmail } from '../mail-in/bounces/bounces.ts'
import { readPauses } from './pauses.ts'
import { readHealth, readTrail, withoutEmail } from './trail-queries.ts'

export function notificationRoutes(app: App): void {
  serve(app, api.getMessageNotifications, async ({ ctx, user, path }) => ({
    notifications: await readTrail(ctx.db, user, path.message_id),
  }))

  serve(app, api.getNotificationPauses, async ({ ctx, user, params }) => ({
    pauses: await readPauses(ctx.db, user, params.user_ids),
  }))

  serve(app, api.sendTestEmail, async ({ ctx, user }) => {
    app.limits.testEmails.take(`user ${user.id}`)
    await transactIn(ctx, user.realm_id, (tx) => requestTestMail(tx, user.id))
    return {}
  })

  serve(app, api.retryEmail, async ({ ctx, user }) => {
    await transactIn(ctx, user.realm_id, (tx) => reviveEmail(tx.db, { realmId: user.realm_id, userId: user.id }))
    return {}
  })

  serve(app, api.getDeadEmails, async ({ ctx, user }) => ({ users: await listDeadEmails(ctx.db, user.realm_id) }))

  serve(app, api.getNotificationHealth, async ({ ctx, user, path }) => {
    if (path.user_id !== user.id && !isAdmin(user))
      throw new ApiError('Only administrators can see whether notifications reach other users.')
    const target = await accessUser(ctx.db, user, path.user_id)
    const health = await readHealth(ctx.db, { realm_id: user.realm_id, id: target.id })
    return deliveryEmail(target, user) === null ? withoutEmail(health) : health
  })
}
