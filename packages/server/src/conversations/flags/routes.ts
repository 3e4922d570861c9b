import * as api from '@parley/api/conversations/flags'
import type { ParamsOf } from '@parley/api/operation'
import { actIn, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { type App, serve, serveAct, serveInTurn } from '../../http/serving/serve.ts'
import { checkRange, findPage, type Range } from '../messages/fetch/anchors.ts'
import { readNarrow } from '../messages/fetch/narrow.ts'
import { changeFlag, checkFlag } from './actions.ts'
import { readChannel, readEverything, readTopic } from './read-all.ts'
import { readReceipts } from './read-receipts.ts'

const mostMessages = 5000
/** Changes of more messages do not keep the acts of others waiting. */
const mostTogether = 50

export function flagRoutes(app: App): void {
  serveAct(app, api.updateMessageFlags, ({ ctx, user, params: { messages, op, flag } }) => {
    const change = { op, flag: checkFlag(flag), ids: [...new Set(messages)] }
    const work = async (tx: Tx) => {
      const { ignored } = await changeFlag(tx, user, change)
      return { messages, ignored_because_not_subscribed_channels: ignored }
    }
    return change.ids.length <= mostTogether ? actIn(ctx, user, work) : transactIn(ctx, user.realm_id, work)
  })

  serveInTurn(app, api.updateFlagsInNarrow, async ({ ctx, user, params }) => {
    const { op, narrow } = params
    const flag = checkFlag(params.flag)
    const range = rangeOf(params)
    return transactIn(ctx, user.realm_id, async (tx) => {
      const page = await findPage(tx.db, user, await readNarrow(tx.db, user, narrow ?? []), range)
      const { changed, ignored } = await changeFlag(tx, user, { op, flag, ids: page.ids })
      return {
        processed_count: page.ids.length,
        updated_count: changed.length,
        first_processed_id: page.ids[0] ?? null,
        last_processed_id: page.ids.at(-1) ?? null,
        found_oldest: page.found_oldest,
        found_newest: page.found_newest,
        ignored_because_not_subscribed_channels: ignored,
      }
    })
  })

  serve(app, api.markAllAsRead, async ({ ctx, user }) => {
    await transactIn(ctx, user.realm_id, (tx) => readEverything(tx, user))
    return { complete: true }
  })

  serve(app, api.markChannelAsRead, async ({ ctx, user, params }) => {
    await transactIn(ctx, user.realm_id, (tx) => readChannel(tx, user, params.stream_id))
    return {}
  })

  serve(app, api.markTopicAsRead, async ({ ctx, user, params }) => {
    await transactIn(ctx, user.realm_id, (tx) => readTopic(tx, user, params.stream_id, params.topic_name))
    return {}
  })

  serve(app, api.getReadReceipts, async ({ ctx, user, path }) => ({
    user_ids: await readReceipts(ctx.db, user, path.message_id),
  }))
}

/** Limits the range to `mostMessages`. Cuts the part before the anchor first, but to no less than half of the limit. */
function rangeOf({ anchor, include_anchor, ...requested }: ParamsOf<typeof api.updateFlagsInNarrow>): Range {
  const num_before = Math.min(requested.num_before, Math.max(mostMessages - requested.num_after, mostMessages / 2))
  const num_after = Math.min(requested.num_after, mostMessages - num_before)
  const range = { anchor, include_anchor, num_before, num_after }
  checkRange(range)
  return range
}
