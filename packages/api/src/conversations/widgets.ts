import { type Static, Type } from 'typebox'
import { id } from '../common.ts'
import { operation } from '../operation.ts'
import { actionsWidget } from './action-widgets.ts'

const closed = { additionalProperties: false }
const choice = Type.Object(
  {
    type: Type.Optional(Type.String({ maxLength: 100 })),
    short_name: Type.String({ maxLength: 1000 }),
    long_name: Type.String({ maxLength: 1000 }),
    reply: Type.String({ maxLength: 10_000 }),
  },
  closed,
)

/** A form with buttons that a bot attaches to a message. Pressing a button sends its reply. */
export const zformWidget = Type.Object(
  {
    widget_type: Type.Enum(['zform']),
    extra_data: Type.Object(
      {
        type: Type.Enum(['choices']),
        heading: Type.String({ maxLength: 10_000 }),
        choices: Type.Array(choice, { maxItems: 100 }),
      },
      closed,
    ),
  },
  closed,
)
export type ZformWidget = Static<typeof zformWidget>

/** What a message can be sent with. */
export const messageWidget = Type.Union([zformWidget, actionsWidget])
export type MessageWidget = Static<typeof messageWidget>

export const addSubmessage = operation({
  name: 'addSubmessage',
  method: 'POST',
  path: '/submessage',
  access: 'user',
  tag: 'Messages',
  summary: 'Vote in a poll, or update a poll or a to-do list.',
  params: {
    message_id: id,
    msg_type: Type.Enum(['widget']),
    content: Type.String({ maxLength: 10_000 }),
  },
})
