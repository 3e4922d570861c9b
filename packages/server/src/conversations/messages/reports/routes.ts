import * as api from '@parley/api/conversations/reports'
import { type App, serve } from '../../../http/serving/serve.ts'
import { accessMessage } from '../model/access.ts'
import { checkReport, reportMessage } from './actions.ts'

export function reportRoutes(app: App): void {
  serve(app, api.reportMessage, async ({ ctx, user, path, params }) => {
    checkReport(params)
    await reportMessage(ctx, user, await accessMessage(ctx.db, user, path.message_id), params)
    return {}
  })
}
