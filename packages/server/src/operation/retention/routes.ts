import { countExpiredMessages } from '@parley/api/operation/retention'
import { accessChannelMetadata } from '../../conversations/channels/access.ts'
import { type App, serveInTurn } from '../../http/serving/serve.ts'
import { countExpired } from './queries.ts'

export function retentionRoutes(app: App): void {
  serveInTurn(app, countExpiredMessages, async ({ ctx, user, params: { message_retention_days: days, stream_id } }) => {
    const channel = stream_id === undefined ? undefined : await accessChannelMetadata(ctx.db, user, stream_id)
    return { count: await countExpired(ctx.db, user.realm_id, days, channel) }
  })
}
