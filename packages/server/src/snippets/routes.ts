import * as api from '@parley/api/snippets'
import { transactIn } from '../context.ts'
import { type App, serve } from '../http/serve.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { createSnippet, deleteSnippet, editSnippet } from './actions.ts'
import { checkContent, checkTitle } from './check-snippet.ts'
import { readSnippets } from './queries.ts'

export function snippetRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.getSavedSnippets, async ({ user }) => ({ saved_snippets: await readSnippets(ctx.db, user) }))

  serve(app, api.createSavedSnippet, async ({ user, params }) => {
    const text = { title: checkTitle(params.title), content: checkContent(params.content) }
    return { saved_snippet_id: await transactIn(ctx, user.realm_id, (tx) => createSnippet(tx, user, text)) }
  })

  serve(app, api.editSavedSnippet, async ({ user, path, params: { title, content } }) => {
    if (title === undefined && content === undefined) throw new ApiError('Nothing to change.')
    const text = {
      ...(title !== undefined && { title: checkTitle(title) }),
      ...(content !== undefined && { content: checkContent(content) }),
    }
    await transactIn(ctx, user.realm_id, (tx) => editSnippet(tx, user, path.saved_snippet_id, text))
    return {}
  })

  serve(app, api.deleteSavedSnippet, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, (tx) => deleteSnippet(tx, user, path.saved_snippet_id))
    return {}
  })
}
