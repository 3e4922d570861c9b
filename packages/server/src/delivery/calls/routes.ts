import * as api from '@parley/api/delivery/calls'
import { sessionCallerOf } from '../../http/serving/authorize.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { servePage } from '../../http/serving/serve-page.ts'
import { Redirect } from '../../identity/pages/redirect.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { RawParams } from '../../platform/http/body.ts'
import { accessCall, accessServer, callPath, joinUrl } from './bigbluebutton.ts'

export function callRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.createBigBlueButtonCall, async ({ ctx, user, params }) => {
    accessServer(ctx.config)
    return { url: callPath(ctx.vault, user, params) }
  })

  servePage(app, 'GET', '/calls/bigbluebutton/join', async ({ request }) => {
    const server = accessServer(ctx.config)
    const caller = await sessionCallerOf(ctx, request)
    if (!caller) return new Redirect('/login')
    const { bigbluebutton } = request.query as RawParams
    if (bigbluebutton === undefined) throw new ApiError('There is no such call.', 'NOT_FOUND')
    return new Redirect(await joinUrl(server, ctx.log, accessCall(ctx.vault, caller, bigbluebutton), caller))
  })
}
