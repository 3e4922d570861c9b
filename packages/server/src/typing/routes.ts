import * as api from '@parley/api/typing'
import { actIn } from '../context.ts'
import { type App, serve } from '../http/serve.ts'
import { typeInChannel, typeInConversation } from './actions.ts'
import { typeInEdit } from './typing-in-edits.ts'

export function typingRoutes(app: App): void {
  const { ctx } = app
  serve(app, api.setTypingStatus, async ({ user, params }) => {
    await actIn(ctx, user, (tx) =>
      params.type === 'direct'
        ? typeInConversation(tx, user, params.op, params.to)
        : typeInChannel(tx, user, params.op, params),
    )
    return {}
  })

  serve(app, api.setEditTypingStatus, async ({ user, path, params }) => {
    await actIn(ctx, user, (tx) => typeInEdit(tx, user, params.op, path.message_id))
    return {}
  })
}
