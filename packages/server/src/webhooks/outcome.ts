import { serviceInterfaces } from '@parley/api/bots'
import type { Reply } from '../messages/reply.ts'
import type { OutgoingAnswer } from '../platform/outgoing/fetch.ts'

/** What an endpoint's answer means. */
export type Outcome = { kind: 'nothing' } | { kind: 'reply'; reply: Reply } | { kind: 'failure'; reason: string }

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
  const widget = widgetOf(widget_content)
  return widget === undefined ? failure('The widget in the answer is not one.') : repliedWith(content, widget)
}

function repliedWith(value: unknown, widget?: string): Outcome {
  const content = textOf(value)
  return content.trim() === '' ? nothing : { kind: 'reply', reply: { content, widget } }
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replaceAll('\0', '').toWellFormed()
}

function widgetOf(value: unknown): string | undefined {
  const widget = typeof value === 'string' ? parse(value) : value
  const kind = (widget as { widget_type?: unknown } | null | undefined)?.widget_type
  return typeof kind === 'string' ? textOf(widget) : undefined
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
