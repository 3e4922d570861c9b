import * as api from '@parley/api/linkifiers'
import { transactIn } from '../context.ts'
import { type App, serve } from '../http/serve.ts'
import { accessOrganization } from '../users/organization-access.ts'
import { addPlayground, removePlayground } from './actions.ts'

export function playgroundRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.addPlayground, ({ user, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => ({
      id: await addPlayground(tx, await accessOrganization(tx, user), params),
    })),
  )

  serve(app, api.removePlayground, ({ user, path }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      await removePlayground(tx, await accessOrganization(tx, user), path.playground_id)
      return {}
    }),
  )
}
