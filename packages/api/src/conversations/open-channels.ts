import { type Static, Type } from 'typebox'
import { id, text } from '../common.ts'
import { textLimits } from '../limits.ts'
import { jsonOrText, operation, withDefault } from '../operation.ts'

/** What anyone may read without an account: docs/open-channels.md. */
const tag = 'Open channels'

const openChannel = Type.Object({
  stream_id: Type.Integer(),
  name: Type.String(),
  description: Type.String({ description: 'HTML.' }),
})
export type OpenChannelObject = Static<typeof openChannel>

export const getOpenChannels = operation({
  name: 'getOpenChannels',
  method: 'GET',
  path: '/open',
  access: 'anyone',
  tag,
  summary: 'List the channels that anyone may read without an account, at most 500.',
  response: {
    realm_name: Type.String(),
    realm_icon_url: Type.String(),
    channels: Type.Array(openChannel),
  },
  errors: ['NOT_FOUND'],
})

export const getOpenTopics = operation({
  name: 'getOpenTopics',
  method: 'GET',
  path: '/open/{stream_id}/topics',
  access: 'anyone',
  tag,
  summary: 'List the topics of an open channel, most recently active first, at most 100.',
  pathParams: { stream_id: id },
  params: {
    before: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Only topics whose newest message has a lower id than this.',
      }),
    ),
  },
  response: { topics: Type.Array(Type.Object({ name: Type.String(), max_id: Type.Integer() })) },
  errors: ['NOT_FOUND'],
})

const openMessage = Type.Object({
  id: Type.Integer(),
  sender_id: Type.Integer(),
  sender_full_name: Type.String(),
  timestamp: Type.Integer(),
  content: Type.String({ description: 'HTML.' }),
  is_me_message: Type.Boolean(),
  subject: Type.String(),
})
export type OpenMessageObject = Static<typeof openMessage>

export const getOpenMessages = operation({
  name: 'getOpenMessages',
  method: 'GET',
  path: '/open/{stream_id}/messages',
  access: 'anyone',
  tag,
  summary: 'List messages of an open channel or of one of its topics, around an anchor, in ascending order.',
  pathParams: { stream_id: id },
  params: {
    topic: Type.Optional(text(textLimits.short)),
    anchor: withDefault(
      jsonOrText(
        Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Enum(['newest', 'oldest'])]),
      ),
      'newest',
    ),
    num_before: withDefault(Type.Integer({ minimum: 0, maximum: 100 }), 0),
    num_after: withDefault(Type.Integer({ minimum: 0, maximum: 100 }), 0),
  },
  response: {
    messages: Type.Array(openMessage),
    found_oldest: Type.Boolean(),
    found_newest: Type.Boolean(),
  },
  errors: ['NOT_FOUND'],
})
