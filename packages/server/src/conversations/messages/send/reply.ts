import type { MessageWidget } from '@parley/api/conversations/widgets'
import type { Rendered } from '@parley/markdown/render'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { normalizeContent } from '../model/normalize-text.ts'
import { newSubmessage } from '../model/submessages.ts'
import { composeAs, type RenderDeps, renderAs } from './compose.ts'
import type { Destination } from './destination.ts'
import { storeComposed } from './send.ts'

export interface Reply {
  content: string
  /** What sent it; absent: an outgoing webhook. */
  client?: string
  widget?: MessageWidget | undefined
}

export type RenderedReply = Reply & { rendered: Rendered }

/** Renders a reply before the transaction starts, so that the transaction does not wait for the renderer. */
export async function renderReply(deps: RenderDeps, bot: Caller, reply: Reply): Promise<RenderedReply> {
  const content = normalizeContent(reply.content)
  return { ...reply, content, rendered: await renderAs(deps, bot, content) }
}

/** Sends a bot's reply to a message. The bot may reply wherever it was triggered, so there is no permission check. */
export async function sendReply(
  tx: Tx,
  bot: Caller,
  destination: Destination,
  { widget, client = 'OutgoingWebhookResponse', ...reply }: RenderedReply,
): Promise<number> {
  const composed = await composeAs(tx.db, bot, {
    ...reply,
    destination,
    client,
    readBySender: true,
    accessVersion: null,
    widget: widget && (await newSubmessage(tx.db, bot.id, widget)),
  })
  await tx.flush()
  return (await storeComposed(tx, bot, composed)).message_id!
}
