import type { ActionsWidget } from '@parley/api/conversations/action-widgets'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import type { Message } from '../messages/model/access.ts'
import { accessMessageToChange } from '../messages/model/lock-message.ts'
import { actionsIn } from '../messages/model/shown-widgets.ts'
import { storeSubmessage } from './actions.ts'

/** The actions of a message as they are now: as it was sent, or as its author has changed them since. */
export async function readActions(
  db: Db,
  realmId: number,
  { id, sender_id }: Pick<Message, 'id' | 'sender_id'>,
): Promise<ActionsWidget | undefined> {
  const found = await many<{ content: string }>(db)`
    select content from submessages
     where realm_id = ${realmId} and message_id = ${id} and sender_id = ${sender_id} and content like '%"widget_type":"actions"%'
     order by id`
  return found.map(({ content }) => actionsIn(content)).findLast((widget) => widget !== undefined)
}

/** Replaces the actions of the author's message. Only the first and the latest state are kept. */
export async function replaceActions(tx: Tx, author: Caller, messageId: number, rows: unknown[]): Promise<void> {
  const changing = await accessMessageToChange(tx, author, messageId)
  const before = await readActions(tx.db, tx.realmId, changing.message)
  if (!before || changing.message.sender_id !== author.id) return
  const own = matches({ realm_id: tx.realmId, message_id: messageId, sender_id: author.id, msg_type: 'widget_update' })
  await tx.db.deleteFrom('submessages').where(own).execute()
  const content = JSON.stringify({ widget_type: 'actions', extra_data: { ...before.extra_data, rows } })
  await storeSubmessage(tx, author, changing, { msg_type: 'widget_update', content })
}
