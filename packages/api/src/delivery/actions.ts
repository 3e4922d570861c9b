import { Type } from 'typebox'
import { id, shortText, text } from '../common.ts'
import { actionAnswers, actionForm } from '../conversations/action-widgets.ts'
import { listLimits, textLimits } from '../limits.ts'
import { maxMessageLength } from '../message-limits.ts'
import { operation, topicText } from '../operation.ts'
import { command } from './bot-commands.ts'

export const pressAction = operation({
  name: 'pressAction',
  method: 'POST',
  path: '/messages/{message_id}/actions',
  access: 'user',
  tag: 'Messages',
  summary: 'Press a button of a message, or choose from its list: its bot is called, or everyone sees the answer.',
  pathParams: { message_id: id },
  params: {
    action_id: shortText,
    value: Type.Optional(Type.String({ maxLength: 100, description: 'What was chosen from a list.' })),
    answers: Type.Optional(actionAnswers),
  },
  response: {
    /** The bot asks for more: press again with the answers. */
    form: Type.Optional(actionForm),
  },
  errors: ['BOT_NOT_REACHED'],
})

export const getCommands = operation({
  name: 'getCommands',
  method: 'GET',
  path: '/commands',
  access: 'user',
  tag: 'Messages',
  summary: 'List the slash commands that bots offer in a channel, or in direct messages.',
  params: { stream_id: Type.Optional(id) },
  response: { commands: Type.Array(Type.Object({ ...command.properties, bot_id: Type.Integer() })) },
})

export const runCommand = operation({
  name: 'runCommand',
  method: 'POST',
  path: '/commands',
  access: 'user',
  tag: 'Messages',
  summary: 'Run a slash command of a bot where the caller may write.',
  params: {
    command: text(textLimits.keyword),
    text: Type.Optional(text(maxMessageLength)),
    /** Needed if several bots offer the command. */
    bot_id: Type.Optional(id),
    stream_id: Type.Optional(id),
    topic: Type.Optional(topicText()),
    /** Of direct messages: the other participants. */
    to: Type.Optional(Type.Array(id, { maxItems: listLimits.usual })),
  },
  errors: ['BOT_NOT_REACHED'],
})
