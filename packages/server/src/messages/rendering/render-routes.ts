import { maxMessageLength } from '@parley/api/common'
import * as api from '@parley/api/rendering'
import { type App, serve } from '../../http/serve.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { lengthOf } from '../../platform/text.ts'
import { realmUrl } from '../../realms/realm-url.ts'
import { resolveReferences } from './references.ts'

export function renderRoutes(app: App): void {
  const { ctx } = app
  serve(app, api.renderMessage, async ({ user, params: { content }, request }) => {
    if (lengthOf(content) > maxMessageLength)
      throw new ApiError(`content is too long (limit: ${maxMessageLength} characters)`)
    const references = await resolveReferences(ctx.db, user, content, realmUrl(ctx, request, user.realm))
    const { html } = await ctx.renderer.render(user, content, references)
    return { rendered: html }
  })
}
