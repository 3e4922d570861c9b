import type { MessageWidget } from '@parley/api/conversations/widgets'
import { storageLimits } from '@parley/api/limits'
import { parseWidget } from '@parley/markdown/blocks/widgets'
import { sql } from 'kysely'
import type { Tx } from '../../../events/transact.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { one } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { normalizeContent } from './normalize-text.ts'

/** Data of an interactive message: the first submessage defines the widget, later ones are actions of users. */
export interface Submessage {
  id: number
  sender_id: number
  msg_type: string
  content: string
}

/** The first submessage of a message that has a widget, or whose text starts a poll or a to-do list. */
export async function newWidget(
  db: Db,
  sender_id: number,
  { content, widget_content }: { content: string; widget_content?: MessageWidget | undefined },
): Promise<Submessage | undefined> {
  const widget = widget_content ?? parseWidget(normalizeContent(content))
  return widget && newSubmessage(db, sender_id, widget)
}

/** Allocates the id before the message is stored, because the message's event contains it. */
export async function newSubmessage(db: Db, sender_id: number, widget: object): Promise<Submessage> {
  const content = JSON.stringify(widget)
  if (content.length > storageLimits.submessageTextPerUserAndMessage)
    throw new ApiError('The widget_content is too large.')
  const { id } = await one<{ id: number }>(db)`
    select nextval(pg_get_serial_sequence('submessages', 'id')) as id`
  return { id, sender_id, msg_type: 'widget', content }
}

export async function storeWidget(tx: Tx, messageId: number, widget: Submessage): Promise<void> {
  await sql`
    insert into submessages (realm_id, id, message_id, sender_id, msg_type, content) overriding system value
    values (${tx.realmId}, ${widget.id}, ${messageId}, ${widget.sender_id}, ${widget.msg_type}, ${widget.content})`.execute(
    tx.db,
  )
}
