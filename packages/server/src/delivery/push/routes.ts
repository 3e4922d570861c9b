import * as api from '@parley/api/delivery/push'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { addToken, checkAppId, checkToken, type Kind, removeToken, sendTestNotification } from './actions.ts'
import { addBrowser, endpointsOf, enqueueTest, keysOf, removeBrowser } from './web-push-actions.ts'

export function pushRoutes(app: App): void {
  serve(app, api.addApnsToken, async ({ ctx, user, params }) => {
    checkToken('apns', params.token)
    checkAppId(params.appid)
    await transactIn(ctx, user.realm_id, (tx) => addToken(tx, user, 'apns', params.token, params.appid))
    return {}
  })

  serve(app, api.addFcmToken, async ({ ctx, user, params }) => {
    checkToken('fcm', params.token)
    await transactIn(ctx, user.realm_id, (tx) => addToken(tx, user, 'fcm', params.token))
    return {}
  })

  const removals: [typeof api.removeApnsToken, Kind][] = [
    [api.removeApnsToken, 'apns'],
    [api.removeFcmToken, 'fcm'],
  ]
  for (const [operation, kind] of removals)
    serve(app, operation, async ({ ctx, user, params }) => {
      checkToken(kind, params.token)
      await transactIn(ctx, user.realm_id, (tx) => removeToken(tx, user, kind, params.token))
      return {}
    })

  serve(app, api.sendTestNotification, ({ ctx, user, params }) => sendTestNotification(ctx.db, user, params.token))

  serve(app, api.getWebPush, async ({ ctx, user }) => {
    const { publicKey } = await ctx.pushKeys.read()
    return { public_key: publicKey.toString('base64url'), endpoints: await endpointsOf(ctx.db, user) }
  })

  serve(app, api.addWebPush, async ({ ctx, user, params }) => {
    const keys = keysOf(params)
    await transactIn(ctx, user.realm_id, (tx) => addBrowser(tx, user, params.endpoint, keys))
    return {}
  })

  serve(app, api.removeWebPush, async ({ ctx, user, params }) => {
    await transactIn(ctx, user.realm_id, (tx) => removeBrowser(tx, user, params.endpoint))
    return {}
  })

  serve(app, api.testWebPush, async ({ ctx, user, params }) => {
    await transactIn(ctx, user.realm_id, (tx) => enqueueTest(tx, user, params.endpoint))
    return {}
  })
}
