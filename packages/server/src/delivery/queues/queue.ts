import type { ClientCapabilities } from '@parley/api/delivery/queues'
import { ApiError } from '../../platform/http/api-error.ts'
import { endOf, eventId } from './event-id.ts'

/** The options with which a client registered its queue. */
export interface QueueOptions {
  event_types: string[] | null
  narrow: [string, string][]
  all_public_streams: boolean
  apply_markdown: boolean
  client_gravatar: boolean
  slim_presence: boolean
  include_subscribers: boolean
  capabilities: ClientCapabilities
  /** Whether the client is an official Zulip client; these use different names for a few things. */
  is_zulip_client: boolean
  /** Registered with a token of limited scopes, which must not read the keys of bots. */
  hides_secrets?: boolean
  /** Registered by a session, which reads the keys of bots only with the password. */
  blanks_secrets?: boolean
}

export interface Queue {
  id: string
  realm_id: number
  user_id: number
  /** The last event before the registration. The queue receives later ones. */
  start_event: number
  lifetime_seconds: number
  options: QueueOptions
  /** The epoch of the log in which the position of the client was checked. */
  epoch: number
}

/** The id after which the client needs events. */
export function positionOf({ start_event }: Queue, lastEventId: number | undefined): number {
  return lastEventId === undefined || lastEventId < eventId(start_event) ? endOf(start_event) : lastEventId
}

export class BadEventQueueId extends ApiError {
  constructor(queueId: string) {
    super(`Bad event queue ID: ${queueId}`, 'BAD_EVENT_QUEUE_ID', { fields: { queue_id: queueId } })
  }
}

/** Whether the queue also receives messages of public channels to which the user is not subscribed. */
export function isWide({ all_public_streams, narrow }: QueueOptions): boolean {
  return all_public_streams || narrow.length > 0
}
