import * as api from '@parley/api/conversations/typing'
import { actIn, transactIn } from '../../context.ts'
import { type App, serve, serveAct } from '../../http/serving/serve.ts'
import { typeInChannel, typeInConversation } from './actions.ts'
import { stopWork } from './stop-work.ts'
import { typeInEdit } from './typing-in-edits.ts'

export function typingRoutes(app: App): void {
  serve(app, api.stopWork, async ({ ctx, user, path, params }) => {
    app.limits.stops.take(`user ${user.id}`)
    await transactIn(ctx, user.realm_id, (tx) => stopWork(tx, user, path.user_id, params))
    return {}
  })

  serveAct(app, api.setTypingStatus, ({ ctx, user, params }) =>
    actIn(ctx, user, async (tx) => {
      if (params.type === 'direct') await typeInConversation(tx, user, params.op, params)
      else await typeInChannel(tx, user, params.op, params)
      return {}
    }),
  )

  serveAct(app, api.setEditTypingStatus, ({ ctx, user, path, params }) =>
    actIn(ctx, user, async (tx) => {
      await typeInEdit(tx, user, params.op, path.message_id)
      return {}
    }),
  )
}
