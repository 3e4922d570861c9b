import * as api from '@parley/api/organization/domains'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { foldCase } from '../../platform/text.ts'
import { addDomain, checkDomain, removeDomain, updateDomain } from './actions.ts'
import { listDomains } from './queries.ts'

export function domainRoutes(app: App): void {
  serve(app, api.getDomains, async ({ ctx, user }) => ({ domains: await listDomains(ctx.db, user.realm_id) }))

  serve(app, api.addDomain, async ({ ctx, user, params }) => {
    const domain = checkDomain(params.domain)
    const id = await transactIn(ctx, user.realm_id, (tx) => addDomain(tx, user.id, domain, params.allow_subdomains))
    return { new_domain: [id, domain] as [number, string] }
  })

  serve(app, api.updateDomain, async ({ ctx, user, path, params }) => {
    const domain = foldCase(path.domain)
    await transactIn(ctx, user.realm_id, (tx) => updateDomain(tx, user.id, domain, params.allow_subdomains))
    return {}
  })

  serve(app, api.removeDomain, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, (tx) => removeDomain(tx, user.id, foldCase(path.domain)))
    return {}
  })
}
