import * as api from '@parley/api/push'
import { transactIn } from '../context.ts'
import { type App, serve } from '../http/serve.ts'
import { addToken, checkAppId, checkToken, type Kind, removeToken, sendTestNotification } from './actions.ts'

export function pushRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.addApnsToken, async ({ user, params }) => {
    checkToken('apns', params.token)
    checkAppId(params.appid)
    await transactIn(ctx, user.realm_id, (tx) => addToken(tx, user, 'apns', params.token, params.appid))
    return {}
  })

  serve(app, api.addFcmToken, async ({ user, params }) => {
    checkToken('fcm', params.token)
    await transactIn(ctx, user.realm_id, (tx) => addToken(tx, user, 'fcm', params.token))
    return {}
  })

  const removals: [typeof api.removeApnsToken, Kind][] = [
    [api.removeApnsToken, 'apns'],
    [api.removeFcmToken, 'fcm'],
  ]
  for (const [operation, kind] of removals)
    serve(app, operation, async ({ user, params }) => {
      checkToken(kind, params.token)
      await transactIn(ctx, user.realm_id, (tx) => removeToken(tx, user, kind, params.token))
      return {}
    })

  serve(app, api.sendTestNotification, ({ user, params }) => sendTestNotification(ctx.db, user, params.token))
}
