import * as api from '@parley/api/organization/linkifiers'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { accessOrganization } from '../../people/users/organization-access.ts'
import { addPlayground, removePlayground } from './actions.ts'

export function playgroundRoutes(app: App): void {
  serve(app, api.addPlayground, ({ ctx, user, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => ({
      id: await addPlayground(tx, await accessOrganization(tx, user), params),
    })),
  )

  serve(app, api.removePlayground, ({ ctx, user, path }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      await removePlayground(tx, await accessOrganization(tx, user), path.playground_id)
      return {}
    }),
  )
}
