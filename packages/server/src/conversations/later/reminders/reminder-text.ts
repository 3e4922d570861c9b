import { maxMessageLength } from '@parley/api/message-limits'
import type { Caller } from '../../../callers/caller.ts'
import type { Db } from '../../../platform/db/pool.ts'
import type { Message } from '../../messages/model/access.ts'
import { authorOf, linkToMessage, quotation } from '../../messages/send/quote-message.ts'

/** What the notification bot sends: a link to the message, the note, and the message as a quotation. */
export async function reminderText(db: Db, caller: Caller, message: Message, note: string): Promise<string> {
  const link = await linkToMessage(db, caller, message)
  const author = (await authorOf(db, caller, message)) ?? 'The message'
  const begin = [`Reminder: ${link}`, ...(note ? [note] : []), `${author}:`].join('\n\n')
  return `${begin}\n${quotation(message.content, maxMessageLength - begin.length - 1)}`
}
