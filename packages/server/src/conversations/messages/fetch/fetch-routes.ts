import * as api from '@parley/api/conversations/messages'
import type { ParamsOf } from '@parley/api/operation'
import type { Context } from '../../../context.ts'
import { isZulipClient } from '../../../http/serving/client-info.ts'
import { type App, serve, serveInTurn } from '../../../http/serving/serve.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { accessibleMessages, accessMessage, receivedAmong } from '../model/access.ts'
import { checkRange, endsOf, findAmong, type Range, selectPage } from './anchors.ts'
import { readAnchorDate } from './first-since.ts'
import { type Form, type FoundBy, messageObjects } from './message-objects.ts'
import { type Narrow, readNarrow } from './narrow.ts'
import { escapeHtml } from './search-highlights.ts'

type GetMessagesParams = ParamsOf<typeof api.getMessages>

const defaultForm: Form = {
  apply_markdown: true,
  client_gravatar: true,
  allow_empty_topic_name: true,
  is_zulip_client: false,
}

export function readingRoutes(app: App): void {
  const { ctx } = app
  const { db } = ctx

  serveInTurn(app, api.getMessages, async ({ ctx, user, params, request }) => {
    const form = { ...params, is_zulip_client: isZulipClient(request) }
    const range = rangeOf(params)
    const terms = params.narrow ?? []
    const narrow = await readNarrow(db, user, terms)
    if (!range) {
      const accessible = (await accessibleMessages(db, user, params.message_ids!)).map(({ id }) => id)
      const ids = terms.length > 0 ? await findAmong(db, narrow, accessible) : accessible
      const messages = await messageObjects(db, user, ids, form, foundBy(ctx, narrow))
      return { messages, found_anchor: false, found_oldest: false, found_newest: false, history_limited: false }
    }
    const { ids, anchor } = await selectPage(db, user, narrow, range)
    const messages = await messageObjects(db, user, ids, form, foundBy(ctx, narrow))
    const found = messages.map(({ id }) => id)
    return { messages, ...endsOf(narrow, found, anchor, range), history_limited: false }
  })

  serveInTurn(app, api.matchNarrow, async ({ ctx, user, params }) => {
    const terms = params.narrow ?? []
    const narrow = await readNarrow(db, user, terms)
    const ids = await receivedAmong(db, user, await findAmong(db, narrow, params.msg_ids))
    const objects = await messageObjects(db, user, ids, defaultForm, foundBy(ctx, narrow))
    const matches = objects.map(({ id, content, subject, match_content, match_subject }) => [
      id,
      { match_content: match_content ?? content, match_subject: match_subject ?? escapeHtml(subject) },
    ])
    return { messages: Object.fromEntries(matches) }
  })

  serve(app, api.getMessage, async ({ user, path, params, request }) => {
    const { id, content } = await accessMessage(db, user, path.message_id)
    const form = { ...params, client_gravatar: true, is_zulip_client: isZulipClient(request) }
    const [message] = await messageObjects(db, user, [id], form)
    return { message: message!, raw_content: content }
  })
}

function foundBy({ renderer }: Context, { search }: Narrow): FoundBy | undefined {
  return search && { search, renderer }
}

/** The requested range; undefined if the request lists message ids. */
function rangeOf(params: GetMessagesParams): Range | undefined {
  const { message_ids, use_first_unread_anchor, include_anchor, num_before, num_after } = params
  const named = use_first_unread_anchor ? 'first_unread' : params.anchor
  const anchor = named === 'date' ? readAnchorDate(params.anchor_date) : named
  if (message_ids) {
    if (anchor !== undefined || num_before > 0 || num_after > 0) throw incompatible()
    return undefined
  }
  if (anchor === undefined) throw new ApiError("Missing 'anchor' argument.")
  checkRange(params)
  return { anchor, include_anchor, num_before, num_after }
}

function incompatible(): ApiError {
  const parameters = 'num_before, num_after, anchor, message_ids, include_anchor, use_first_unread_anchor'
  return new ApiError(`Unsupported parameter combination: ${parameters}`, 'BAD_REQUEST', { fields: { parameters } })
}
