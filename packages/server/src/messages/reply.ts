import type { Rendered } from '@parley/markdown/render'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Tx } from '../platform/db/transact.ts'
import type { Caller } from '../users/caller.ts'
import { findPeople } from '../users/people.ts'
import { sendInTransaction } from './actions.ts'
import { attentionOf } from './attention.ts'
import type { Destination } from './destination.ts'
import { accessMentions } from './mentions.ts'
import { prepare } from './prepare.ts'
import { resolveReferences } from './references.ts'
import { type Submessage, storeWidget } from './submessages.ts'
import { normalizeContent } from './text.ts'

export interface Reply {
  content: string
  /** What an interactive message consists of, as JSON. */
  widget?: string | undefined
}

export type RenderedReply = Reply & { rendered: Rendered }

/** Renders a reply before the transaction, which then does not wait for its turn. */
export async function renderReply(
  ctx: Pick<Context, 'db' | 'renderer'>,
  bot: Caller,
  reply: Reply,
): Promise<RenderedReply> {
  const content = normalizeContent(reply.content)
  const references = await resolveReferences(ctx.db, bot, content)
  return { ...reply, content, rendered: await ctx.renderer.render(bot, content, references) }
}

/** Sends what a bot answers to a message. It was asked there, so that it may answer there. */
export async function sendReply(
  tx: Tx,
  bot: Caller,
  destination: Destination,
  { content, rendered, ...reply }: RenderedReply,
): Promise<number> {
  const mentioned = await accessMentions(tx.db, bot, destination, rendered)
  const attention = await attentionOf(tx.db, bot.state, bot.id, destination, content)
  const [sender] = await findPeople(tx.db, bot.state, [bot.id])
  const widget = reply.widget === undefined ? undefined : await widgetOf(tx, bot.id, reply.widget)
  const prepared = prepare({
    realm: bot.realm,
    sender: sender!,
    destination,
    content,
    rendered,
    mentioned,
    attention,
    client: 'OutgoingWebhookResponse',
    readBySender: true,
    accessVersion: null,
    widget,
  })
  await tx.flush()
  const [row] = await sendInTransaction(tx, [prepared])
  if (widget) await storeWidget(tx, row!.message_id, widget)
  return row!.message_id
}

async function widgetOf(tx: Tx, sender_id: number, content: string): Promise<Submessage> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('submessages', 'id')) as id`.execute(tx.db)
  return { id: rows[0]!.id, sender_id, msg_type: 'widget', content }
}
