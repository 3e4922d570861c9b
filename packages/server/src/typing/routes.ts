import * as api from '@parley/api/typing'
import { transactIn } from '../context.ts'
import { type App, serve } from '../http/serve.ts'
import { typeInChannel, typeInConversation } from './actions.ts'
import { typeInEdit } from './typing-in-edits.ts'

export function typingRoutes(app: App): void {
  const { ctx } = app
  serve(app, api.setTypingStatus, async ({ user, params }) => {
    await transactIn(ctx, user.realm_id, (tx) =>
      params.type === 'direct'
        ? typeInConversation(tx, user, params.op, params.to)
        : typeInChannel(tx, user, params.op, params),
    )
    return {}
  })

  serve(app, api.setEditTypingStatus, async ({ user, path, params }) => {
    await transactIn(ctx, user.realm_id, (tx) => typeInEdit(tx, user, params.op, path.message_id))
    return {}
  })
}
