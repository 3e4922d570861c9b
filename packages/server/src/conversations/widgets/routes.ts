import * as api from '@parley/api/conversations/widgets'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { accessMessageToChange } from '../messages/model/lock-message.ts'
import { addSubmessage } from './actions.ts'

export function widgetRoutes(app: App): void {
  serve(app, api.addSubmessage, async ({ ctx, user, params }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      addSubmessage(tx, user, await accessMessageToChange(tx, user, params.message_id), params),
    )
    return {}
  })
}
