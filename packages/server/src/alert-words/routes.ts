import * as api from '@parley/api/alert-words'
import { transactIn } from '../context.ts'
import { type App, serve } from '../http/serve.ts'
import { addAlertWords, removeAlertWords } from './actions.ts'
import { readOwnAlertWords } from './queries.ts'

export function alertWordRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.getAlertWords, async ({ user }) => ({ alert_words: await readOwnAlertWords(ctx.db, user) }))

  serve(app, api.addAlertWords, async ({ user, params }) => ({
    alert_words: await transactIn(ctx, user.realm_id, (tx) => addAlertWords(tx, user, params.alert_words)),
  }))

  serve(app, api.removeAlertWords, async ({ user, params }) => ({
    alert_words: await transactIn(ctx, user.realm_id, (tx) => removeAlertWords(tx, user, params.alert_words)),
  }))
}
