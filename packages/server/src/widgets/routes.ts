import * as api from '@parley/api/widgets'
import { transactIn } from '../context.ts'
import { accessMessageToChange } from '../messages/changing.ts'
import { type App, serve } from '../serve.ts'
import { addSubmessage } from './actions.ts'

export function widgetRoutes(app: App): void {
  serve(app, api.addSubmessage, async ({ user, params }) => {
    await transactIn(app.ctx, user.realm_id, async (tx) =>
      addSubmessage(tx, user, await accessMessageToChange(tx, user, params.message_id), params),
    )
    return {}
  })
}
