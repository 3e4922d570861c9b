import type { MessageObject } from '@parley/api/conversations/messages'
import { type Narrow, narrows, othersOf } from '@parley/client/messages/narrow'
import type { Slices } from '@parley/client/store/store'
import { narrowHash } from '../session/links.ts'

type Located = Pick<MessageObject, 'id' | 'type' | 'stream_id' | 'subject' | 'display_recipient'>

export function conversationOf(message: Located, viewerId: number): Narrow {
  return message.type === 'stream'
    ? narrows.topic(message.stream_id!, message.subject)
    : narrows.direct(othersOf(message, viewerId))
}

const anchor = /<a ([^<>]*)>(https?:)?/g
const mostLinked = 3

/** The messages that the HTML of a message links to, without quotations, which contain them anyway. */
export function linkedIds(html: string): number[] {
  if (!html.includes('/near/')) return []
  const ids = [...html.matchAll(anchor)].flatMap(([, attributes, isUrl]) => {
    const href = /href="(\/?#narrow\/[^"]*)"/.exec(attributes!)?.[1] ?? ''
    const id = /\/near\/(\d{1,15})$/.exec(href)?.[1]
    return id && (isUrl || attributes!.includes('message-link')) ? [Number(id)] : []
  })
  return [...new Set(ids)].slice(0, mostLinked)
}

/** A link to the message in its conversation. */
export function linkTo(message: Located, viewerId: number, store: Slices<'channels'>): string {
  return narrowHash(conversationOf(message, viewerId), store, message.id)
}
