import { type Static, Type } from 'typebox'
import { text } from '../common.ts'
import { listLimits } from '../limits.ts'

const argument = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 30 }),
    type: Type.Enum(['text', 'user', 'channel', 'date', 'choice']),
    required: Type.Optional(Type.Boolean()),
    choices: Type.Optional(Type.Array(text(100), { maxItems: 20 })),
  },
  { additionalProperties: false },
)

/** A slash command that a bot offers. */
export const command = Type.Object(
  {
    name: Type.String({ maxLength: 30, pattern: '^[a-z][a-z0-9_-]*$' }),
    description: text(200),
    args: Type.Optional(Type.Array(argument, { maxItems: 10 })),
  },
  { additionalProperties: false },
)
export type Command = Static<typeof command>

export const botCommands = Type.Array(command, { maxItems: listLimits.botCommands })

/** Commands that clients have themselves. */
export const ownCommands = ['me', 'poll', 'todo']
