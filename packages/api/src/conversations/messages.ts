import { type Static, Type } from 'typebox'
import { id, keyword, nullable, shortText, text, truncatedText, userIdOrEmail } from '../common.ts'
import { listLimits, textLimits } from '../limits.ts'
import { jsonOrText, operation, topicText, withAlias, withDefault } from '../operation.ts'
import { messageWidget } from './widgets.ts'

export const reactionTypes = ['unicode_emoji', 'realm_emoji', 'service_extra_emoji'] as const

export const reaction = Type.Object({
  emoji_name: Type.String(),
  emoji_code: Type.String(),
  // Clients that identify themselves as Zulip's use the older name of the built-in extra emoji.
  reaction_type: Type.Enum([...reactionTypes, 'zulip_extra_emoji']),
  user_id: Type.Integer(),
  user: Type.Optional(Type.Object({ id: Type.Integer(), email: Type.String(), full_name: Type.String() })),
})

const editHistoryEntry = Type.Object({
  user_id: nullable(Type.Integer()),
  timestamp: Type.Integer(),
  prev_content: Type.Optional(Type.String()),
  prev_rendered_content: Type.Optional(Type.String()),
  prev_stream: Type.Optional(Type.Integer()),
  prev_topic: Type.Optional(Type.String()),
  stream: Type.Optional(Type.Integer()),
  topic: Type.Optional(Type.String()),
})

export const directRecipient = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  full_name: Type.String(),
  is_mirror_dummy: Type.Boolean(),
})

const messageFields = {
  id: Type.Integer(),
  type: Type.Enum(['stream', 'private']),
  sender_id: Type.Integer(),
  sender_email: Type.String(),
  sender_full_name: Type.String(),
  sender_realm_str: Type.String(),
  avatar_url: nullable(Type.String()),
  client: Type.String(),
  content: Type.String(),
  content_type: Type.Enum(['text/html', 'text/x-markdown']),
  display_recipient: Type.Union([Type.String(), Type.Array(directRecipient)]),
  recipient_id: Type.Integer(),
  stream_id: Type.Optional(Type.Integer()),
  subject: Type.String(),
  topic_links: Type.Array(Type.Object({ text: Type.String(), url: Type.String() })),
  is_me_message: Type.Boolean(),
  timestamp: Type.Integer(),
  reactions: Type.Array(reaction),
  submessages: Type.Array(
    Type.Object({
      id: Type.Integer(),
      message_id: Type.Integer(),
      sender_id: Type.Integer(),
      msg_type: Type.String(),
      content: Type.String(),
    }),
  ),
}

export const messageFlags = [
  'read',
  'starred',
  'collapsed',
  'mentioned',
  'stream_wildcard_mentioned',
  'topic_wildcard_mentioned',
  'wildcard_mentioned',
  'has_alert_word',
  'historical',
] as const
export type MessageFlag = (typeof messageFlags)[number]
export const flags = Type.Array(Type.Enum([...messageFlags]))

/** A message as in `message` events, which carry its flags in a separate field. */
export const newMessage = Type.Object({
  ...messageFields,
  silent: Type.Optional(Type.Literal(true, { description: 'It notifies nobody.' })),
  notify_anyway: Type.Optional(Type.Literal(true, { description: 'It notifies although notifications are paused.' })),
})

/** A message as `GET /messages` returns it. */
export const message = Type.Object({
  ...messageFields,
  flags,
  last_edit_timestamp: Type.Optional(Type.Integer()),
  last_moved_timestamp: Type.Optional(Type.Integer()),
  edit_history: Type.Optional(Type.Array(editHistoryEntry)),
  match_content: Type.Optional(Type.String()),
  match_subject: Type.Optional(Type.String()),
})
export type MessageObject = Static<typeof message>

export const sendMessage = operation({
  name: 'sendMessage',
  method: 'POST',
  path: '/messages',
  access: 'sender',
  tag: 'Messages',
  summary: 'Send a message to a channel or a direct message.',
  params: {
    type: Type.Enum(['direct', 'private', 'channel', 'stream']),
    /** Only bots with a default channel may omit it. */
    to: Type.Optional(
      jsonOrText(Type.Union([id, shortText, Type.Array(userIdOrEmail, { maxItems: listLimits.usual })])),
    ),
    topic: Type.Optional(withAlias(topicText(), 'subject')),
    content: truncatedText,
    queue_id: Type.Optional(Type.String({ maxLength: 200 })),
    local_id: Type.Optional(Type.String({ maxLength: 200 })),
    read_by_sender: Type.Optional(Type.Boolean()),
    widget_content: Type.Optional(messageWidget),
    silent: Type.Optional(
      Type.Boolean({
        description: 'Notify nobody. Content that begins with `@silent ` does the same, without the word.',
      }),
    ),
    notify_anyway: Type.Optional(
      Type.Boolean({
        description:
          'Notify the recipients of a direct message although their notifications are paused. Once per recipient and hour.',
      }),
    ),
    streaming: Type.Optional(
      Type.Boolean({
        description: 'The text continues: `PATCH /messages/{message_id}` with `delta`, `offset` and at last `done`.',
      }),
    ),
  },
  response: {
    id: Type.Integer(),
    automatic_new_visibility_policy: Type.Optional(Type.Enum([2, 3])),
    /** Of a streamed message: how many characters its text has. */
    length: Type.Optional(Type.Integer()),
  },
  errors: ['STREAM_DOES_NOT_EXIST', 'STREAM_WILDCARD_MENTION_NOT_ALLOWED', 'TOPIC_WILDCARD_MENTION_NOT_ALLOWED'],
})

const operand = text(textLimits.operand)
export const narrowTerm = Type.Union([
  Type.Object({
    operator: keyword,
    operand: Type.Union([
      operand,
      Type.Integer(),
      Type.Array(Type.Union([Type.Integer(), text(textLimits.email)]), { maxItems: listLimits.usual }),
    ]),
    negated: Type.Optional(Type.Boolean()),
  }),
  Type.Array(Type.Union([operand, Type.Integer()]), { minItems: 2, maxItems: 2 }),
])
export type NarrowTerm = Static<typeof narrowTerm>
export const narrow = Type.Array(narrowTerm, { maxItems: listLimits.narrowTerms })

/** Message ids given by the client. They may not exist. */
export function messageIds(maxItems: number) {
  return Type.Array(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), { maxItems })
}

/** Larger than any message id: the anchor for `newest`, and for `first_unread` if nothing is unread. */
export const largestAnchor = 10_000_000_000_000_000

export const getMessages = operation({
  name: 'getMessages',
  method: 'GET',
  path: '/messages',
  access: 'user',
  tag: 'Messages',
  summary: 'List the messages around an anchor in a narrow, or by id, in ascending order.',
  params: {
    anchor: Type.Optional(
      jsonOrText(Type.Union([Type.Integer(), Type.Enum(['newest', 'oldest', 'first_unread', 'date'])])),
    ),
    anchor_date: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'For the anchor `date`, in ISO 8601, in UTC if it names no time zone. The anchor is the first message at or after it, or `newest` if there is none.',
      }),
    ),
    include_anchor: withDefault(Type.Boolean(), true),
    num_before: withDefault(Type.Integer({ minimum: 0 }), 0),
    num_after: withDefault(Type.Integer({ minimum: 0 }), 0),
    narrow: withDefault(Type.Union([narrow, Type.Null()]), []),
    client_gravatar: withDefault(Type.Boolean(), true),
    apply_markdown: withDefault(Type.Boolean(), true),
    use_first_unread_anchor: withDefault(Type.Boolean(), false),
    message_ids: Type.Optional(messageIds(5000)),
    allow_empty_topic_name: withDefault(Type.Boolean(), false),
  },
  response: {
    messages: Type.Array(message),
    anchor: Type.Optional(Type.Integer()),
    found_anchor: Type.Boolean(),
    found_oldest: Type.Boolean(),
    found_newest: Type.Boolean(),
    history_limited: Type.Boolean(),
  },
  errors: ['BAD_NARROW'],
})

export const getMessage = operation({
  name: 'getMessage',
  method: 'GET',
  path: '/messages/{message_id}',
  access: 'user',
  tag: 'Messages',
  summary: 'Get a message, as HTML or as Markdown.',
  pathParams: { message_id: id },
  params: {
    apply_markdown: withDefault(Type.Boolean(), true),
    allow_empty_topic_name: withDefault(Type.Boolean(), false),
  },
  response: { message, raw_content: Type.String() },
})

export const matchNarrow = operation({
  name: 'matchNarrow',
  method: 'GET',
  path: '/messages/matches_narrow',
  access: 'user',
  tag: 'Messages',
  summary: 'Check which of the given messages match a narrow. Only messages that the caller received are found.',
  params: {
    msg_ids: messageIds(5000),
    narrow,
  },
  response: {
    messages: Type.Record(Type.String(), Type.Object({ match_content: Type.String(), match_subject: Type.String() })),
  },
  errors: ['BAD_NARROW'],
})
