import { type Static, Type } from 'typebox'
import { id } from '../common.ts'

const closed = { additionalProperties: false }
const label = Type.String({ minLength: 1, maxLength: 100 })
const name = Type.String({ minLength: 1, maxLength: 100 })
const options = Type.Array(Type.Object({ value: name, label }, closed), { minItems: 1, maxItems: 100 })
const longestAnswer = 2000

/** What a form asks for. */
const field = Type.Object(
  {
    name,
    label,
    type: Type.Enum(['text', 'select', 'users', 'date', 'checkbox']),
    required: Type.Optional(Type.Boolean()),
    /** Only of `text`. */
    multiline: Type.Optional(Type.Boolean()),
    /** Only of `select`. */
    options: Type.Optional(options),
  },
  closed,
)
export type FormField = Static<typeof field>

/** A form that opens in a dialog. What is entered is pressed with the action. */
export const actionForm = Type.Object(
  {
    title: label,
    submit: Type.Optional(label),
    fields: Type.Array(field, { minItems: 1, maxItems: 20 }),
  },
  closed,
)
export type ActionForm = Static<typeof actionForm>

const usual = { id: name, label, confirm: Type.Optional(Type.String({ maxLength: 300 })) }

/** Opens a URL, sends a reply, or calls the bot, perhaps with what is entered in a form. */
const button = Type.Object(
  {
    type: Type.Literal('button'),
    ...usual,
    style: Type.Optional(Type.Enum(['primary', 'danger'])),
    url: Type.Optional(Type.String({ maxLength: 2000, pattern: '^https?://' })),
    /** Sent as a message. With `call`, only clients that do not know actions send it. */
    reply: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000 })),
    call: Type.Optional(Type.Boolean()),
    form: Type.Optional(actionForm),
  },
  closed,
)
const select = Type.Object({ type: Type.Literal('select'), ...usual, options }, closed)
export type ActionElement = Static<typeof button> | Static<typeof select>
export type ActionButton = Static<typeof button>

export const actionsWidget = Type.Object(
  {
    widget_type: Type.Literal('actions'),
    extra_data: Type.Object(
      {
        rows: Type.Array(Type.Array(Type.Union([button, select]), { minItems: 1, maxItems: 5 }), {
          minItems: 1,
          maxItems: 5,
        }),
        /** Who may press; absent: all readers. */
        allowed_group: Type.Optional(id),
      },
      closed,
    ),
  },
  closed,
)
export type ActionsWidget = Static<typeof actionsWidget>

export const actionAnswers = Type.Record(
  Type.String(),
  Type.Union([Type.String({ maxLength: longestAnswer }), Type.Boolean(), Type.Array(id, { maxItems: 50 })]),
  { maxProperties: 20, propertyNames: { maxLength: 100 } },
)
export type ActionAnswers = Static<typeof actionAnswers>
