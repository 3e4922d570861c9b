/** An integration is data: what a sender's requests are called, and the templates that turn them into messages. */
export interface Integration {
  name: string
  title: string
  category: Category
  /** One sentence for the catalogue. */
  summary: string
  /** How a request says which event it is about. Absent: all requests are the event `message`. */
  event?: EventSource
  /** `text`: the body is the text of the message, and the payload is `{ text, topic }`. */
  body?: 'json' | 'text'
  /** How the sender proves that it knows the secret of the hook. */
  signature?: Signature
  /** The header with the sender's id of a request, by which a repeated one is recognized. */
  deliveryId?: string
  /** Paths that every payload has. A request without them does not come from this sender. */
  requires?: string[]
  /** Template of the topic. */
  topic: string
  /** What later requests do to its message. An event can have its own. */
  keys?: Keys
  events: Record<string, Event>
  /** Simplifies the payload before the templates see it. Pure, and short. The log shows `hook_note` of its result. */
  transform?: (payload: Payload) => Payload
  /** The text is markup already, so that its values are not escaped: see `transform`. */
  isMarkup?: true
  /** The sender expects the text `ok`, as Slack answers. */
  answersOk?: true
}

export type Category = 'generic' | 'code' | 'build' | 'alerts' | 'work' | 'business'

// biome-ignore lint/suspicious/noExplicitAny: whatever a sender sends
export type Payload = any

export type EventSource =
  | { header: string }
  | { field: string }
  /** For senders that name the event nowhere. */
  | { of: (payload: Payload) => string }

export interface Keys {
  /** Template of what a message is about. A later request with the same text edits the message. */
  update?: string
  /** A condition: it is over. The topic of the message is resolved when everything in it is over. */
  closedWhen?: string
  /** Template of what repeated requests have in common. They count up in the message of the first. */
  dedup?: string
}

export interface Event {
  /** For the list of events from which an owner chooses. */
  title: string
  requires?: string[]
  topic?: string
  keys?: Keys
  /** The template of the message, or one for each action. Actions without one are known, but not worth a message. */
  text: string | { by: string; actions: Record<string, string> }
}

export type Signature =
  | { kind: 'hmac_sha256'; header: string; prefix?: string }
  /** The header has a time and a hash of time and body, as in `t=1763539200,v1=…`. */
  | { kind: 'timestamped_hmac_sha256'; header: string }
  /** The secret itself is in a header. */
  | { kind: 'token'; header: string }

export const header = (name: string): EventSource => ({ header: name })
export const field = (path: string): EventSource => ({ field: path })

/** Declares an integration. */
export function integration(declared: Integration): Integration {
  return declared
}
