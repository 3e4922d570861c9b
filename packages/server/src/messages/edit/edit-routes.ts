import * as api from '@parley/api/editing'
import { transactIn } from '../../context.ts'
import { type App, serve, serveInTurn } from '../../http/serve.ts'
import { realmUrl } from '../../realms/realm-url.ts'
import { emitPolicies } from '../../topics/policies.ts'
import { reloadCaller } from '../../users/authenticate.ts'
import { readMessageHistory } from '../fetch/history-view.ts'
import { renderEdit } from './content.ts'
import { editMessage } from './edit.ts'

export function editingRoutes(app: App): void {
  const { ctx } = app
  const deps = { renderer: ctx.renderer, emitPolicies }

  serve(app, api.editMessage, async ({ user, path, params, request }) => {
    const url = realmUrl(ctx, request, user.realm)
    const draft = await renderEdit(ctx, user, path.message_id, params.content, url)
    return transactIn(ctx, user.realm_id, async (tx) => {
      const caller = await reloadCaller(tx.db, user)
      return editMessage(tx, deps, caller, path.message_id, params, draft)
    })
  })

  serveInTurn(app, api.getMessageHistory, async ({ user, path, params }) => ({
    message_history: await readMessageHistory(ctx, user, path.message_id, params.allow_empty_topic_name),
  }))
}
