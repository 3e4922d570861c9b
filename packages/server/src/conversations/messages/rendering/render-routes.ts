import { maxMessageLength } from '@parley/api/common'
import * as api from '@parley/api/conversations/rendering'
import { type App, serve } from '../../../http/serving/serve.ts'
import { realmUrl } from '../../../organization/realms/realm-url.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { lengthOf } from '../../../platform/text.ts'
import { resolveReferences } from './references.ts'

export function renderRoutes(app: App): void {
  serve(app, api.renderMessage, async ({ ctx, user, params: { content }, request }) => {
    if (lengthOf(content) > maxMessageLength)
      throw new ApiError(`content is too long (limit: ${maxMessageLength} characters)`)
    const references = await resolveReferences(ctx.db, user, content, realmUrl(ctx, request, user.realm))
    const { html } = await ctx.renderer.render(user, content, references)
    return { rendered: html }
  })
}
