import * as api from '@parley/api/conversations/editing'
import { currentCaller } from '../../../callers/authenticate.ts'
import { actIn, transactIn } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import { type App, serveAct, serveInTurn } from '../../../http/serving/serve.ts'
import { realmUrl } from '../../../organization/realms/realm-url.ts'
import { emitPolicies } from '../../topics/policies.ts'
import { readMessageHistory } from '../fetch/history-view.ts'
import { doLargeMove } from '../move/move-jobs.ts'
import type { EditParams } from './checks.ts'
import { renderEdit } from './content.ts'
import { editMessage } from './edit.ts'
import { appendPart, planPart } from './streaming.ts'

const isPart = ({ delta, offset, done }: EditParams) =>
  delta !== undefined || offset !== undefined || done !== undefined

export function editingRoutes(app: App): void {
  const deps = { renderer: app.ctx.renderer, emitPolicies }

  serveAct(app, api.editMessage, async ({ ctx, user, path, params, request }) => {
    const url = realmUrl(ctx, request, user.realm)
    if (isPart(params)) {
      const part = await planPart(ctx, user, path.message_id, params, url)
      return actIn(ctx, user, async (tx) => {
        const length = await appendPart(tx, await currentCaller(tx, user), path.message_id, part)
        return { detached_uploads: [], length }
      })
    }
    const draft = await renderEdit(ctx, user, path.message_id, params.content, url)
    const work = async (tx: Tx) => {
      const caller = await currentCaller(tx, user)
      return editMessage(tx, deps, caller, path.message_id, params, draft)
    }
    if (params.topic === undefined && params.stream_id === undefined)
      return actIn(ctx, user, async (tx) => (await work(tx)).response)
    const { response, moveId } = await transactIn(ctx, user.realm_id, work)
    const isDone = moveId === undefined || (await doLargeMove(ctx, deps, user.realm_id, moveId))
    return { ...response, ...(!isDone && { move_continues: true }) }
  })

  serveInTurn(app, api.getMessageHistory, async ({ ctx, user, path, params }) => ({
    message_history: await readMessageHistory(ctx, user, path.message_id, params.allow_empty_topic_name),
  }))
}
