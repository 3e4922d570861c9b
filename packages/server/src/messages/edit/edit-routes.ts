import * as api from '@parley/api/editing'
import { actIn, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { type App, serve, serveInTurn } from '../../http/serve.ts'
import { realmUrl } from '../../realms/realm-url.ts'
import { emitPolicies } from '../../topics/policies.ts'
import { currentCaller } from '../../users/authenticate.ts'
import { readMessageHistory } from '../fetch/history-view.ts'
import { renderEdit } from './content.ts'
import { editMessage } from './edit.ts'
import { doLargeMove } from './move-jobs.ts'

export function editingRoutes(app: App): void {
  const { ctx } = app
  const deps = { renderer: ctx.renderer, emitPolicies }

  serve(app, api.editMessage, async ({ user, path, params, request }) => {
    const url = realmUrl(ctx, request, user.realm)
    const draft = await renderEdit(ctx, user, path.message_id, params.content, url)
    const work = async (tx: Tx) => {
      const caller = await currentCaller(tx, user)
      return editMessage(tx, deps, caller, path.message_id, params, draft)
    }
    const isMove = params.topic !== undefined || params.stream_id !== undefined
    const { response, moveId } = await (isMove ? transactIn(ctx, user.realm_id, work) : actIn(ctx, user, work))
    const isDone = moveId === undefined || (await doLargeMove(ctx, deps, user.realm_id, moveId))
    return { ...response, ...(!isDone && { move_continues: true }) }
  })

  serveInTurn(app, api.getMessageHistory, async ({ user, path, params }) => ({
    message_history: await readMessageHistory(ctx, user, path.message_id, params.allow_empty_topic_name),
  }))
}
