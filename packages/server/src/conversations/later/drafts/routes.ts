import * as api from '@parley/api/conversations/drafts'
import { transactIn } from '../../../context.ts'
import { type App, serve } from '../../../http/serving/serve.ts'
import { accessDraft, checkSynchronized } from './access.ts'
import { createDrafts, deleteDraft, editDraft } from './actions.ts'
import { readDrafts } from './queries.ts'

export function draftRoutes(app: App): void {
  serve(app, api.getDrafts, async ({ ctx, user }) => {
    checkSynchronized(user)
    const drafts = await readDrafts(ctx.db, user)
    return { count: drafts.length, drafts }
  })

  serve(app, api.createDrafts, async ({ ctx, user, params }) => {
    checkSynchronized(user)
    const ids = await transactIn(ctx, user.realm_id, async (tx) => {
      const drafts = []
      for (const draft of params.drafts) drafts.push(await accessDraft(tx.db, user, draft))
      return createDrafts(tx, user, drafts)
    })
    return { ids }
  })

  serve(app, api.editDraft, async ({ ctx, user, path, params }) => {
    checkSynchronized(user)
    await transactIn(ctx, user.realm_id, async (tx) =>
      editDraft(tx, user, path.draft_id, await accessDraft(tx.db, user, params.draft)),
    )
    return {}
  })

  serve(app, api.deleteDraft, async ({ ctx, user, path }) => {
    checkSynchronized(user)
    await transactIn(ctx, user.realm_id, (tx) => deleteDraft(tx, user, path.draft_id))
    return {}
  })
}
