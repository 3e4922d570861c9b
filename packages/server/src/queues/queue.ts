import type { ClientCapabilities } from '@parley/api/queues'
import { ApiError } from '../platform/http/api-error.ts'

/** What a client asked of its queue. */
export interface QueueOptions {
  event_types: string[] | null
  narrow: [string, string][]
  all_public_streams: boolean
  apply_markdown: boolean
  client_gravatar: boolean
  slim_presence: boolean
  include_subscribers: boolean
  capabilities: ClientCapabilities
  /** Whether the client is one of Zulip's, with names of its own for a few things. */
  is_zulip_client: boolean
}

export interface Queue {
  id: string
  realm_id: number
  user_id: number
  /** The log's end when the queue was registered: it hears what comes after. */
  start_event: number
  lifetime_seconds: number
  options: QueueOptions
}

export class BadEventQueueId extends ApiError {
  constructor(queueId: string) {
    super(`Bad event queue ID: ${queueId}`, 'BAD_EVENT_QUEUE_ID', { fields: { queue_id: queueId } })
  }
}

/** Queues that hear of messages in channels their user is not subscribed to. */
export function isWide({ all_public_streams, narrow }: QueueOptions): boolean {
  return all_public_streams || narrow.length > 0
}
