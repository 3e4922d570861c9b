import { attributes, escapeText } from '../html.ts'
import type { Inline } from '../inline/inline.ts'
import { channelUrl, messageUrl, topicUrl } from '../inline/links.ts'
import { replaceKnown } from '../text.ts'

const messageLink = /(?<![^\s'"({/<])#\*\*([^*>]+)>([^*]*)@(\d+)\*\*/g
const topicLink = /(?<![^\s'"({/<])#\*\*([^*>]+)>([^*]*)\*\*/g
const channelLink = /(?<![^\s'"({/<])#\*\*([^*]+)\*\*/g

/** `#**channel>topic@214**` */
export function messageLinks(text: string, inline: Inline): string {
  return replaceKnown(text, messageLink, (source = '', channel = '', marked = '', messageId = '') => {
    const topic = inline.source(marked)
    const id = inline.message.channelId(channel)
    if (id === undefined) return undefined
    const href = messageUrl(id, channel, topic, messageId)
    return keepLink(inline, source, { class: 'message-link', href }, `${place(channel, topic)} @ 💬`)
  })
}

/** `#**channel>topic**` */
export function topicLinkRule(text: string, inline: Inline): string {
  return replaceKnown(text, topicLink, (source = '', channel = '', marked = '') => {
    const topic = inline.source(marked)
    const id = inline.message.channelId(channel)
    if (id === undefined) return undefined
    const href = topicUrl(id, channel, topic, inline.message.topicLinked(channel, topic)?.message_id)
    return keepLink(inline, source, { class: 'stream-topic', 'data-stream-id': `${id}`, href }, place(channel, topic))
  })
}

/** `#**channel**` */
export function channelLinks(text: string, inline: Inline): string {
  return replaceKnown(text, channelLink, (source = '', channel = '') => {
    const id = inline.message.channelId(channel)
    if (id === undefined) return undefined
    const href = channelUrl(id, channel)
    return keepLink(inline, source, { class: 'stream', 'data-stream-id': `${id}`, href }, `#${escapeText(channel)}`)
  })
}

function keepLink(inline: Inline, source: string, values: Record<string, string>, html: string): string {
  inline.message.hasLink = true
  return inline.keep(`<a${attributes(values)}>${html}</a>`, source)
}

function place(channel: string, topic: string): string {
  return `#${escapeText(channel)} &gt; ${topic ? escapeText(topic) : '<em>general chat</em>'}`
}
