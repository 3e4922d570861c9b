import * as api from '@parley/api/people/alert-words'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { addAlertWords, removeAlertWords } from './actions.ts'
import { readOwnAlertWords } from './queries.ts'

export function alertWordRoutes(app: App): void {
  serve(app, api.getAlertWords, async ({ ctx, user }) => ({ alert_words: await readOwnAlertWords(ctx.db, user) }))

  serve(app, api.addAlertWords, async ({ ctx, user, params }) => ({
    alert_words: await transactIn(ctx, user.realm_id, (tx) => addAlertWords(tx, user, params.alert_words)),
  }))

  serve(app, api.removeAlertWords, async ({ ctx, user, params }) => ({
    alert_words: await transactIn(ctx, user.realm_id, (tx) => removeAlertWords(tx, user, params.alert_words)),
  }))
}
