import type { logTriggers } from '@parley/api/delivery/webhook-triggers'
import type { QueueEvent } from '@parley/api/events'
import { lookup } from '@parley/api/lookup'

export type LogTrigger = (typeof logTriggers)[number]

/** What an event of the log is about, as far as a webhook may have asked for it. */
export interface Concern {
  trigger: LogTrigger
  message_id?: number
  channel_id?: number | undefined
}

type Of<Name extends QueueEvent['type']> = Extract<QueueEvent, { type: Name }>
type Finder<Event> = (event: Event, botId: number) => Concern[]

const resolvedMark = '\u2714 '

/** What a bot does itself triggers nothing, so that its answers do not call it again. */
const finders: { [Name in QueueEvent['type']]?: Finder<Of<Name>> } = {
  message: ({ message }, botId) => {
    if (message.sender_id === botId || message.type !== 'stream') return []
    const about = { message_id: message.id, channel_id: message.stream_id }
    return [
      { trigger: 'channel_message', ...about },
      { trigger: 'topic_started', ...about },
    ]
  },
  reaction: ({ user_id, message_id }, botId) => (user_id === botId ? [] : [{ trigger: 'reaction', message_id }]),
  update_message: (event, botId) => {
    if (event.rendering_only || event.user_id === botId) return []
    const about = { message_id: event.message_id, channel_id: event.new_stream_id ?? event.stream_id }
    return [
      ...(event.content === undefined ? [] : [{ trigger: 'message_updated' as const, ...about }]),
      ...(isResolution(event) ? [{ trigger: 'topic_resolved' as const, ...about }] : []),
    ]
  },
  delete_message: ({ stream_id }) => [{ trigger: 'message_deleted', channel_id: stream_id }],
  stream: (event) =>
    event.op === 'create' ? [{ trigger: 'channel_created', channel_id: event.streams[0]?.stream_id }] : [],
  realm_user: ({ op }) => (op === 'add' ? [{ trigger: 'user_joined' }] : []),
}

/** A large move resolves its topic in parts; the last one counts. */
function isResolution({ orig_subject, subject, move_progress }: Of<'update_message'>): boolean {
  const isDone = !move_progress || move_progress.moved === move_progress.total
  return isDone && subject?.startsWith(resolvedMark) === true && orig_subject?.startsWith(resolvedMark) === false
}

export function concernsOf(event: QueueEvent, botId: number): Concern[] {
  const find = lookup(finders, event.type) as Finder<QueueEvent> | undefined
  return find?.(event, botId) ?? []
}
