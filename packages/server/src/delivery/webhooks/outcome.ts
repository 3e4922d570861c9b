import { type MessageWidget, messageWidget } from '@parley/api/conversations/widgets'
import { serviceInterfaces } from '@parley/api/delivery/bots'
import { Compile } from 'typebox/compile'
import type { Reply } from '../../conversations/messages/send/reply.ts'
import type { OutgoingAnswer } from '../../platform/outgoing/safe-fetch.ts'

/** What to do after an endpoint's response. */
export type Outcome = { kind: 'nothing' } | { kind: 'reply'; reply: Reply } | { kind: 'failure'; reason: string }

const isWidget = Compile(messageWidget)
const nothing: Outcome = { kind: 'nothing' }
const proxyRefused = 407

export function outcomeOf({ status, body }: OutgoingAnswer, form: number): Outcome {
  if (status === proxyRefused) return failure('The proxy between this server and the bot refused the request (407).')
  if (status < 200 || status > 299) return failure(`The bot's endpoint answered with status ${status}.`)
  const answer = parse(body)
  if (answer === '') return nothing
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    return failure("The answer of the bot's endpoint is not a JSON object.")
  const fields = answer as Record<string, unknown>
  return form === serviceInterfaces.slack ? repliedWith(fields.text) : genericOutcome(fields)
}

function genericOutcome({ response_not_required, response_string, content, widget_content }: Record<string, unknown>) {
  if (response_not_required) return nothing
  if (response_string !== undefined) return repliedWith(response_string)
  if (widget_content === undefined || widget_content === null) return repliedWith(content)
  const widget = typeof widget_content === 'string' ? parse(widget_content) : widget_content
  return isWidget.Check(widget)
    ? repliedWith(content, wellFormed(widget))
    : failure('The widget_content in the answer is not a valid widget.')
}

function repliedWith(value: unknown, widget?: MessageWidget): Outcome {
  const content = textOf(value)
  return content.trim() === '' ? nothing : { kind: 'reply', reply: { content, widget } }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return storable(typeof value === 'string' ? value : JSON.stringify(value))
}

/** PostgreSQL cannot store NUL characters or unpaired surrogates. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

export function wellFormed<T extends object>(answer: T): T {
  return JSON.parse(JSON.stringify(answer), (_, value) => (typeof value === 'string' ? storable(value) : value))
}

function failure(reason: string): Outcome {
  return { kind: 'failure', reason }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
