import type { MessageObject } from '@parley/api/messages'
import { type Narrow, narrows, othersOf } from '@parley/client/narrow'
import type { Store } from '@parley/client/store'
import { narrowHash } from '../session/links.ts'

type Located = Pick<MessageObject, 'id' | 'type' | 'stream_id' | 'subject' | 'display_recipient'>

export function conversationOf(message: Located, viewerId: number): Narrow {
  return message.type === 'stream'
    ? narrows.topic(message.stream_id!, message.subject)
    : narrows.direct(othersOf(message, viewerId))
}

/** A link to the message in its conversation. */
export function linkTo(message: Located, viewerId: number, store: Store): string {
  return narrowHash(conversationOf(message, viewerId), store, message.id)
}
