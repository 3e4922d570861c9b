import { type Static, Type } from 'typebox'
import { id, nullable, text } from '../common.ts'
import { listLimits, textLimits } from '../limits.ts'
import { botCommands } from './bot-commands.ts'

/** Triggers that concern the bot itself. They are recorded when a message is sent. */
export const personalTriggers = ['direct_message', 'mention'] as const
/** Triggers found in the event log whose payload is a message, which the endpoint may answer. */
export const messageTriggers = ['channel_message', 'topic_started'] as const
/** Triggers found in the event log whose payload is the event. */
export const eventTriggers = [
  'reaction',
  'topic_resolved',
  'message_updated',
  'message_deleted',
  'channel_created',
  'user_joined',
] as const

export const logTriggers = [...messageTriggers, ...eventTriggers] as const
export const triggers = [...personalTriggers, ...logTriggers] as const
export type Trigger = (typeof triggers)[number]
export type EventTrigger = (typeof eventTriggers)[number]

const term = Type.Array(text(textLimits.queueOperand), { minItems: 2, maxItems: 2 })

/** What an outgoing webhook is called for. */
export const triggerSettings = Type.Object({
  triggers: Type.Array(Type.Enum([...triggers]), { maxItems: triggers.length }),
  /** Null: the channels to which the bot is subscribed. */
  channel_ids: nullable(Type.Array(id, { maxItems: listLimits.usual })),
  /** A narrow, as for event queues, that limits the messages. */
  filter: Type.Array(term, { maxItems: listLimits.narrowTerms }),
  /** Whether the next request waits until the previous one has succeeded or failed for good. */
  in_order: Type.Boolean(),
  /** Whether requests about events wait. The server pauses an endpoint that has failed for three days. */
  paused: Type.Boolean(),
  /** Slash commands that it offers. */
  commands: botCommands,
})
export type TriggerSettings = Static<typeof triggerSettings>
