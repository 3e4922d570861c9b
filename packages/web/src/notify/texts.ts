import type { MessageObject } from '@parley/api/conversations/messages'
import type { Slices } from '@parley/client/store/store'
import { topicName } from '../channels/topic-name.ts'
import { list, t } from '../platform/i18n.ts'

type Shown = Pick<MessageObject, 'type' | 'stream_id' | 'subject' | 'sender_full_name' | 'display_recipient'>

export interface NotificationText {
  title: string
  body: string
}

const longestBody = 200

/** What a notification about a message says. `words` is the message as plain text. */
export function textOf(
  { preferences, channels }: Slices<'channels' | 'preferences'>,
  message: Shown,
  words: string,
): NotificationText {
  const { type, stream_id, subject, sender_full_name: sender, display_recipient } = message
  const said = words.startsWith('/me ') ? sender + words.slice('/me'.length) : words
  const body = said.length > longestBody ? `${said.slice(0, longestBody - 1).trimEnd()}…` : said
  if (type === 'stream') {
    const channel = channels.subscribed.get(stream_id!)?.name ?? String(display_recipient)
    return { title: `${sender} · #${channel} > ${topicName(subject)}`, body }
  }
  const isGroup = display_recipient.length > 2
  const title = isGroup ? t('notify.toGroup', { sender, count: display_recipient.length - 2 }) : sender
  const isOpen = preferences.get('pm_content_in_desktop_notifications') !== false
  return { title, body: isOpen ? body : t('notify.newDirect') }
}

/** One notification instead of many, for example after the computer was asleep. */
export function summaryOf(senders: readonly string[]): NotificationText {
  const names = [...new Set(senders)]
  const more = names.length - 2
  return {
    title: t('notify.messages', { count: senders.length }),
    body:
      more > 0
        ? t('notify.fromMore', { names: names.slice(0, 2).join(', '), count: more })
        : t('notify.from', { names: list(names) }),
  }
}
