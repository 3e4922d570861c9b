import { lookup } from '@parley/api/lookup'
import { withLegacyFlags } from '../../conversations/messages/model/flag-bits.ts'
import { shownTopic } from '../../conversations/messages/model/normalize-text.ts'
import { shownSubmessages } from '../../conversations/messages/model/shown-widgets.ts'
import {
  type EventName,
  fieldOf,
  fromJson,
  type Json,
  joined,
  type StoredEvent,
  type StoredMessage,
  toJson,
} from '../../events/event-json.ts'
import type { LogEvent } from '../../events/log.ts'
import { shownEmoji } from '../../organization/emoji/reaction-types.ts'
import type { Vault } from '../../platform/secrets.ts'
import { blank, opened, type Writes, writeSecrets } from '../bots/objects.ts'
import { eventId } from './event-id.ts'
import type { Queue, QueueOptions } from './queue.ts'
import { matchesNarrow } from './queue-narrow.ts'

export interface WireEvent {
  id: number
  type: string
  /** The whole event as JSON text. */
  text: string
  /** How many more bytes than characters the text has. */
  extraBytes: number
}

/** The wire events that queues with the same options have in common. Queues share equal options: see `findQueues`. */
export type SharedWireEvents = Map<QueueOptions, WireEvent[]>

/** Like `wireEvents`, but made once for all queues that receive the same. The result must not be changed. */
export function sharedWireEvents(
  event: LogEvent,
  queue: Queue,
  received: boolean,
  vault: Vault,
  shared: SharedWireEvents,
): WireEvent[] {
  if (!received || isPersonal(event, queue)) return wireEvents(event, queue, received, vault)
  const known = shared.get(queue.options)
  if (known) return known
  const made = wireEvents(event, queue, received, vault)
  shared.set(queue.options, made)
  return made
}

/** Whether a queue that receives the event may receive it differently than others with the same options. */
function isPersonal({ type, personal }: LogEvent, { id, user_id, options }: Queue): boolean {
  if (type === 'message' && options.narrow.length > 0) return true
  if (!personal) return false
  const { echo, flags, instead, hidden } = personal
  return (
    echo?.queue_id === id ||
    flags?.[user_id] !== undefined ||
    instead?.[user_id] !== undefined ||
    hidden?.from.includes(user_id) === true
  )
}

/** The wire events of a log event for one queue: usually one, none if the queue is not registered for it. */
export function wireEvents(event: LogEvent, queue: Queue, received: boolean, vault: Vault): WireEvent[] {
  const { event_types, hides_secrets, blanks_secrets } = queue.options
  if (hides_secrets && event.type === 'realm_bot') return []
  if (event_types && !event_types.includes(event.type)) return []
  const bodies =
    event.type === 'realm_bot'
      ? [botBody(event, blanks_secrets ? blank : opened(vault))]
      : bodiesOf(event, queue, received)
  return bodies.map((body, n) => withId(body, eventId(event.seq, n), event.type))
}

/** Whether the event may become several wire events, of which a client may have seen only some. */
export function becomesSeveral({ type }: LogEvent): boolean {
  return type === 'delete_message'
}

function bodiesOf(event: LogEvent, queue: Queue, received: boolean): Json<object>[] {
  if (event.type === 'message') return messageBodies(event, queue, received)
  if (event.type === 'update_message') return [updateBody(event, queue)]
  return otherBodies(event, queue.options)
}

/** Writes the bot's secrets, which are sealed in the log, for a recipient of the event. */
function botBody({ payload }: LogEvent, write: Writes): Json<object> {
  const event = fromJson(payload as Json<StoredEvent<'realm_bot'>>)
  return event.op === 'delete' ? payload : toJson({ ...event, bot: writeSecrets(event.bot, write) })
}

function withId(body: Json<object>, id: number, type: string): WireEvent {
  const text = joined(toJson({ id }), body)
  return { id, type, text, extraBytes: Buffer.byteLength(text) - text.length }
}

/** The message, serialized once per combination of client options. Flags and local echo are added per queue. */
function messageBodies(event: LogEvent, queue: Queue, received: boolean): Json<object>[] {
  const flags = received ? flagsFor(event, queue.user_id) : []
  const { narrow } = queue.options
  if (narrow.length > 0 && !matchesNarrow(narrow, messageFor(event, queue.user_id), flags)) return []
  const local = isEchoFor(event, queue) && { local_message_id: event.personal!.echo!.local_id }
  const head = toJson({ type: 'message', flags: withLegacyFlags(flags), ...local })
  return [joined(head, fieldOf('message', messageForm(event, queue)))]
}

/** Whether the sender named this queue for local echo and owns it. */
function isEchoFor({ personal, payload }: LogEvent, queue: Queue): boolean {
  return personal?.echo?.queue_id === queue.id && messageOf(payload).sender_id === queue.user_id
}

function messageOf(payload: Json<object>): StoredMessage {
  return fromJson(payload as Json<StoredMessage>)
}

function flagsFor({ personal }: LogEvent, userId: number): string[] {
  if (!personal) return []
  return personal.instead?.[userId] ?? [...(personal.flags?.[userId] ?? []), ...(personal.everyone ?? [])]
}

/** The fields that replace the sender's for a user who may not know the sender. */
function hiddenFrom({ personal }: LogEvent, userId: number): object | undefined {
  return personal?.hidden?.from.includes(userId) ? personal.hidden.instead : undefined
}

function messageFor(event: LogEvent, userId: number): StoredMessage {
  return { ...messageOf(event.payload), ...hiddenFrom(event, userId) }
}

function messageForm(event: LogEvent, { user_id, options }: Queue): Json<object> {
  const { apply_markdown, client_gravatar, capabilities, is_zulip_client } = options
  const hidden = hiddenFrom(event, user_id)
  // Only a restored message has reactions.
  const hasExtraEmoji = event.payload.includes('service_extra_emoji')
  const hasActions = event.payload.includes('widget_type\\":\\"actions')
  const key =
    (apply_markdown ? 1 : 0) +
    (client_gravatar ? 2 : 0) +
    (capabilities.empty_topic_name ? 4 : 0) +
    (hidden ? 8 : 0) +
    ((hasExtraEmoji || hasActions) && is_zulip_client ? 16 : 0)
  event.forms ??= new Map()
  const known = event.forms.get(key)
  if (known) return known
  const { rendered_content, avatar_is_public_gravatar, ...message } = messageFor(event, user_id)
  const form = toJson({
    ...message,
    reactions: message.reactions.map((one) => shownEmoji(one, is_zulip_client)),
    submessages: shownSubmessages(message.submessages as { content: string }[], is_zulip_client).map((one) => ({
      ...one,
      message_id: message.id,
    })),
    content: apply_markdown ? rendered_content : message.content,
    content_type: apply_markdown ? 'text/html' : 'text/x-markdown',
    avatar_url: client_gravatar && avatar_is_public_gravatar ? null : message.avatar_url,
    subject: message.type === 'stream' ? shownTopic(message.subject, capabilities.empty_topic_name === true) : '',
  })
  event.forms.set(key, form)
  return form
}

/** The update is serialized once per capability and not per queue, because it may list 100,000 message ids. */
function updateBody(event: LogEvent, { user_id, options }: Queue): Json<object> {
  const flags = withLegacyFlags(flagsFor(event, user_id))
  return joined(toJson({ flags }), updateForm(event, options))
}

function updateForm(event: LogEvent, { capabilities }: QueueOptions): Json<object> {
  const key = capabilities.empty_topic_name ? 1 : 0
  event.forms ??= new Map()
  const known = event.forms.get(key)
  if (known) return known
  const { flags: _, ...update } = fromJson(event.payload as Json<StoredEvent<'update_message'>>)
  for (const field of ['subject', 'orig_subject'] as const)
    if (update[field] !== undefined) update[field] = shownTopic(update[field], capabilities.empty_topic_name === true)
  const form = toJson(update)
  event.forms.set(key, form)
  return form
}

function otherBodies(event: LogEvent, options: QueueOptions): Json<object>[] {
  const shape = lookup(shapes, event.type) as Shape | undefined
  if (!shape) return [event.payload]
  return [shape(fromJson(event.payload as Json<StoredEvent>), options) ?? []].flat().map(toJson)
}

type Shape<Event = StoredEvent> = (event: Event, options: QueueOptions) => object | object[] | undefined

/** Clients without the capability `archived_channels` see archiving as deletion and unarchiving as creation. */
function archivedForLegacyClients({ type, stream_id, value }: ChannelUpdate, channel: object | undefined): object {
  if (!value) return { type, op: 'create', streams: [channel] }
  return { type, op: 'delete', stream_ids: [stream_id], streams: [{ stream_id }] }
}

type ChannelUpdate = Extract<StoredEvent<'stream'>, { op: 'update' }>

function withoutArchived(event: Extract<StoredEvent<'stream'>, { op: 'create' }>): object | undefined {
  const streams = event.streams.filter(({ is_archived }) => !is_archived)
  return streams.length > 0 ? { ...event, streams } : undefined
}

/**
 * Event types whose format depends on the client. One event may become several; undefined means that the client does
 * not receive it.
 */
const shapes: { [Name in EventName]?: Shape<StoredEvent<Name>> } = {
  delete_message: ({ message_ids = [], ...payload }, { capabilities }) => {
    const shown =
      payload.message_type === 'stream'
        ? { ...payload, topic: shownTopic(payload.topic!, capabilities.empty_topic_name === true) }
        : payload
    if (capabilities.bulk_message_deletion) return { ...shown, message_ids }
    return message_ids.map((message_id) => ({ ...shown, message_id }))
  },
  user_topic: (payload, { capabilities }) => ({
    ...payload,
    topic_name: shownTopic(payload.topic_name, capabilities.empty_topic_name === true),
  }),
  muted_topics: (payload, { event_types, capabilities }) => {
    if (event_types?.includes('user_topic')) return undefined
    const allowsEmpty = capabilities.empty_topic_name === true
    const muted_topics = payload.muted_topics.map(([channel, topic, when]) => [
      channel,
      shownTopic(topic, allowsEmpty),
      when,
    ])
    return { ...payload, muted_topics }
  },
  typing: (payload, { capabilities }) => {
    if (payload.message_type !== 'stream') return payload
    if (!capabilities.stream_typing_notifications) return undefined
    return { ...payload, topic: shownTopic(payload.topic, capabilities.empty_topic_name === true) }
  },
  stream: (payload, { capabilities }) => {
    if (payload.op === 'create') return capabilities.archived_channels ? payload : withoutArchived(payload)
    if (payload.op !== 'update' || payload.property !== 'is_archived') return payload
    const { channel, ...update } = payload
    return capabilities.archived_channels ? update : archivedForLegacyClients(update, channel)
  },
  subscription: ({ isUnarchived, ...payload }, { include_subscribers, capabilities }) => {
    // Sent after unarchiving, for clients that saw the archived channel as deleted.
    if (isUnarchived && capabilities.archived_channels) return undefined
    if (payload.op !== 'add' || include_subscribers) return payload
    return { ...payload, subscriptions: payload.subscriptions.map(({ subscribers: _, ...rest }) => rest) }
  },
  typing_edit_message: (payload, { capabilities }) => {
    if (payload.recipient.type !== 'channel' || capabilities.empty_topic_name) return payload
    return { ...payload, recipient: { ...payload.recipient, topic: shownTopic(payload.recipient.topic, false) } }
  },
  realm_user: ({ placeholder, ...payload }, { capabilities }) =>
    placeholder && capabilities.user_list_incomplete ? undefined : payload,
  reaction: (payload, { is_zulip_client }) => shownEmoji(payload, is_zulip_client),
  submessage: (payload, { is_zulip_client }) =>
    is_zulip_client && payload.msg_type === 'widget_update' ? undefined : payload,
  user_status: (payload, { is_zulip_client }) => shownEmoji(payload, is_zulip_client),
  realm_linkifiers: (payload, { capabilities }) => (capabilities.linkifier_url_template ? payload : undefined),
  user_group: ({ of_deactivated_group, ...payload }, { capabilities }) => {
    if (capabilities.include_deactivated_groups) return payload
    if (of_deactivated_group) return undefined
    const isDeactivation = payload.op === 'update' && payload.data.deactivated
    return isDeactivation ? { type: payload.type, op: 'remove', group_id: payload.group_id } : payload
  },
  // Legacy formats of `user_settings`.
  update_display_settings: (payload, { capabilities }) => (capabilities.user_settings_object ? undefined : payload),
  update_global_notifications: (payload, { capabilities }) => (capabilities.user_settings_object ? undefined : payload),
  presence: ({ email, ...payload }, { slim_presence }) => (slim_presence ? payload : { ...payload, email }),
  update_message_flags: (payload, { capabilities }) => {
    if (!('message_details' in payload) || !payload.message_details || capabilities.empty_topic_name) return payload
    const details = Object.entries(payload.message_details).map(([id, detail]) => [
      id,
      detail.type === 'stream' ? { ...detail, topic: shownTopic(detail.topic, false) } : detail,
    ])
    return { ...payload, message_details: Object.fromEntries(details) }
  },
}
