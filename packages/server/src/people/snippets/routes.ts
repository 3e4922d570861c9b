import * as api from '@parley/api/people/snippets'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { createSnippet, deleteSnippet, editSnippet } from './actions.ts'
import { checkContent, checkTitle } from './check-snippet.ts'
import { readSnippets } from './queries.ts'

export function snippetRoutes(app: App): void {
  serve(app, api.getSavedSnippets, async ({ ctx, user }) => ({ saved_snippets: await readSnippets(ctx.db, user) }))

  serve(app, api.createSavedSnippet, async ({ ctx, user, params }) => {
    const text = { title: checkTitle(params.title), content: checkContent(params.content) }
    return { saved_snippet_id: await transactIn(ctx, user.realm_id, (tx) => createSnippet(tx, user, text)) }
  })

  serve(app, api.editSavedSnippet, async ({ ctx, user, path, params: { title, content } }) => {
    if (title === undefined && content === undefined) return {}
    const text = {
      ...(title !== undefined && { title: checkTitle(title) }),
      ...(content !== undefined && { content: checkContent(content) }),
    }
    await transactIn(ctx, user.realm_id, (tx) => editSnippet(tx, user, path.saved_snippet_id, text))
    return {}
  })

  serve(app, api.deleteSavedSnippet, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, (tx) => deleteSnippet(tx, user, path.saved_snippet_id))
    return {}
  })
}
