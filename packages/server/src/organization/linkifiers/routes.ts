import * as api from '@parley/api/organization/linkifiers'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { accessOrganization } from '../../people/users/organization-access.ts'
import { addLinkifier, removeLinkifier, reorderLinkifiers, updateLinkifier } from './actions.ts'
import { listLinkifiers } from './queries.ts'

export function linkifierRoutes(app: App): void {
  serve(app, api.getLinkifiers, async ({ ctx, user }) => ({ linkifiers: await listLinkifiers(ctx.db, user.realm_id) }))

  serve(app, api.addLinkifier, ({ ctx, user, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => ({
      id: await addLinkifier(tx, await accessOrganization(tx, user), params),
    })),
  )

  serve(app, api.updateLinkifier, ({ ctx, user, path, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      await updateLinkifier(tx, await accessOrganization(tx, user), path.filter_id, params)
      return {}
    }),
  )

  serve(app, api.removeLinkifier, ({ ctx, user, path }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      await removeLinkifier(tx, await accessOrganization(tx, user), path.filter_id)
      return {}
    }),
  )

  serve(app, api.reorderLinkifiers, ({ ctx, user, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      await reorderLinkifiers(tx, await accessOrganization(tx, user), params.ordered_linkifier_ids)
      return {}
    }),
  )
}
