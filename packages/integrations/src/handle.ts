import type { Event, Integration, Keys, Payload } from './integration.ts'
import { breakMentions, oneLine } from './markup.ts'
import { lookup, textOf, valueAt } from './paths.ts'
import { renderTemplate, TemplateError } from './templates.ts'

/** What arrived, as text. Names of headers are in lower case. */
export interface HookRequest {
  headers: Record<string, string | undefined>
  body: string
}

/** What the owner of a hook chose. */
export interface HookOptions {
  /** Patterns of event names, as in a shell. */
  only_events?: string[]
  exclude_events?: string[]
  topic_template?: string
  text_template?: string
  /** A condition in Liquid: requests for which it does not hold make no message. */
  filter?: string
  mentions_allowed?: boolean
  /** Templates, as in `Keys`. */
  update_key?: string
  dedup_key?: string
}

export type Outcome =
  | ({ kind: 'message'; event: string; topic: string; text: string; note?: string } & MessageKeys)
  | { kind: 'ignored'; event: string; reason: string }
  | { kind: 'unsupported'; event: string }
  | { kind: 'malformed'; reason: string }
  | { kind: 'missing_header'; header: string }

/** What the message is about, for later requests about the same. */
interface MessageKeys {
  update_key?: string
  dedup_key?: string
  /** Present when it is over. */
  closed?: string
}

/** Thrown for what this sender does not send. */
class Malformed extends Error {}

const longestText = 10_000
const longestTopic = 60

/** Turns a request into a message, or says why there is none. Never throws for what a request contains. */
export function handleRequest(integration: Integration, request: HookRequest, options: HookOptions = {}): Outcome {
  const outcome = handle(integration, request, options)
  return Object.fromEntries(Object.entries(outcome).map(([name, text]) => [name, storable(text)])) as Outcome
}

/** Databases store neither NUL nor halves of characters. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

function handle(integration: Integration, request: HookRequest, options: HookOptions): Outcome {
  try {
    const payload = payloadOf(integration, request)
    const name = eventName(integration, request, payload)
    return name === undefined
      ? { kind: 'missing_header', header: (integration.event as { header: string }).header }
      : outcomeOf(integration, name, payload, options)
  } catch (error) {
    if (error instanceof Malformed || error instanceof TemplateError)
      return { kind: 'malformed', reason: error.message }
    throw error
  }
}

function payloadOf(integration: Integration, { headers, body }: HookRequest): Payload {
  if (integration.body === 'text') return { text: body, topic: headers['x-topic'] }
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  const text = isForm ? new URLSearchParams(body).get('payload') : body
  if (text === null) throw new Malformed('The form has no field "payload".')
  const payload = parse(text)
  for (const path of integration.requires ?? []) requirePath(payload, path)
  return payload
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Malformed('The body is not valid JSON.')
  }
}

function requirePath(payload: Payload, path: string): void {
  if (valueAt(payload, path) === undefined) throw new Malformed(`The body has no "${path}".`)
}

/** Undefined if the header that names it is missing. */
function eventName({ event }: Integration, { headers }: HookRequest, payload: Payload): string | undefined {
  if (!event) return 'message'
  if ('header' in event) return lookup(headers, event.header)
  const name = 'of' in event ? event.of(payload) : textOf(valueAt(payload, event.field))
  if (name === '') throw new Malformed('The body does not say which event it is about.')
  return name
}

function outcomeOf(integration: Integration, name: string, payload: Payload, options: HookOptions): Outcome {
  const declared = lookup(integration.events, name)
  if (!declared) return { kind: 'unsupported', event: name }
  for (const path of declared.requires ?? []) requirePath(payload, path)
  const event = fullName(name, declared, payload)
  if (!isWanted(name, event, options)) return { kind: 'ignored', event, reason: 'The hook leaves out this event.' }
  const source = options.text_template ?? templateOf(declared, payload)
  if (source === undefined) return { kind: 'ignored', event, reason: 'Nothing is said about this action.' }
  const values = integration.transform ? integration.transform(payload) : payload
  if (options.filter !== undefined && !holds(options.filter, values))
    return { kind: 'ignored', event, reason: 'The filter of the hook leaves it out.' }
  const isMarkup = integration.isMarkup && options.text_template === undefined
  const rendered = renderTemplate(isMarkup ? 'plain' : 'markup', source, values)
  const text = options.mentions_allowed ? rendered : breakMentions(rendered, source)
  if (text === '') return { kind: 'ignored', event, reason: 'The message would be empty.' }
  const topic = renderTemplate('plain', options.topic_template ?? declared.topic ?? integration.topic, values)
  const keys = keysOf(declared.keys ?? integration.keys ?? {}, options, values)
  const note = integration.transform ? textOf(valueAt(values, 'hook_note')) : ''
  return {
    kind: 'message',
    event,
    topic: shortTopic(topic),
    text: cut(text, longestText),
    ...(note && { note }),
    ...keys,
  }
}

function keysOf({ update = '', closedWhen, dedup = '' }: Keys, options: HookOptions, values: Payload): MessageKeys {
  const update_key = renderTemplate('plain', options.update_key ?? update, values)
  const dedup_key = renderTemplate('plain', options.dedup_key ?? dedup, values)
  const isClosed = closedWhen !== undefined && holds(closedWhen, values)
  return { ...(update_key && { update_key }), ...(dedup_key && { dedup_key }), ...(isClosed && { closed: 'yes' }) }
}

function shortTopic(topic: string): string {
  return cut(oneLine(topic), longestTopic)
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function holds(condition: string, values: Payload): boolean {
  return renderTemplate('plain', `{% if ${condition} %}yes{% endif %}`, values) === 'yes'
}

function fullName(name: string, { text }: Event, payload: Payload): string {
  return typeof text === 'string' ? name : `${name}.${textOf(valueAt(payload, text.by))}`
}

function templateOf({ text }: Event, payload: Payload): string | undefined {
  if (typeof text === 'string') return text
  return lookup(text.actions, textOf(valueAt(payload, text.by)))
}

function isWanted(name: string, event: string, { only_events: only, exclude_events: excluded = [] }: HookOptions) {
  const fits = (patterns: string[]) => patterns.some((one) => matchesPattern(name, one) || matchesPattern(event, one))
  return (!only || only.length === 0 || fits(only)) && !fits(excluded)
}

/** Whether a name fits a pattern with `*` and `?`. Goes back only to the last star, so that it takes no long time. */
export function matchesPattern(name: string, pattern: string): boolean {
  let [at, position, star, resume] = [0, 0, -1, 0]
  while (at < name.length) {
    if (pattern[position] === '*') [star, resume, position] = [position, at, position + 1]
    else if (pattern[position] === '?' || pattern[position] === name[at]) [at, position] = [at + 1, position + 1]
    else if (star >= 0) [resume, at, position] = [resume + 1, resume + 1, star + 1]
    else return false
  }
  return [...pattern.slice(position)].every((char) => char === '*')
}
