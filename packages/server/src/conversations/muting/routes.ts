import * as api from '@parley/api/conversations/muting'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { checkMutable } from './access.ts'
import { muteUser, unmuteUser } from './actions.ts'

export function mutingRoutes(app: App): void {
  serve(app, api.muteUser, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      await checkMutable(tx.db, user, path.muted_user_id)
      await muteUser(tx, user, path.muted_user_id)
    })
    return {}
  })

  serve(app, api.unmuteUser, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, (tx) => unmuteUser(tx, user, path.muted_user_id))
    return {}
  })
}
