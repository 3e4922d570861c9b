import { groupSettingValue } from '@parley/api/common'
import { channel } from '@parley/api/conversations/channels'
import * as messages from '@parley/api/conversations/messages'
import { subscription } from '@parley/api/conversations/subscriptions'
import { clientCapabilities } from '@parley/api/delivery/queues'
import { unreadMessages, userSettingsObject } from '@parley/api/delivery/register'
import * as events from '@parley/api/events'
import { userGroup } from '@parley/api/organization/groups'
import { listedUser, user } from '@parley/api/people/users'

export type Json = Record<string, unknown>

/** Schemas that the document defines once and refers to everywhere else. */
const named: Record<string, object> = {
  User: user,
  ListedUser: listedUser,
  UserGroup: userGroup,
  UserSettings: userSettingsObject,
  GroupSettingValue: groupSettingValue,
  Channel: channel,
  Subscription: subscription,
  Message: messages.message,
  NewMessage: messages.newMessage,
  Reaction: messages.reaction,
  NarrowTerm: messages.narrowTerm,
  UnreadMessages: unreadMessages,
  ClientCapabilities: clientCapabilities,
  ...Object.fromEntries(eventSchemas().map(([name, schema]) => [eventComponent(name), schema])),
  Event: events.queueEvent,
}

function eventSchemas(): [string, object][] {
  const members = new Set<object>(events.queueEvent.anyOf)
  return Object.entries(events).filter(([, schema]) => members.has(schema as object)) as [string, object][]
}

/** `channelTypingEvent` in the spelling of components. */
function eventComponent(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1)
}

/** A schema may be copied (made optional, given a default), so it is recognized by its content. */
const nameOf = new Map(Object.entries(named).map(([name, schema]) => [fingerprint(schema as Json), name]))

function fingerprint({ default: _, ...schema }: Json): string {
  return JSON.stringify(schema)
}

export function componentSchemas(): Record<string, Json> {
  return Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, described(schema as Json)]))
}

/** A schema of the contract as the document shows it: named parts by reference, our own keywords in words. */
export function schemaOf(schema: Json): Json {
  const name = nameOf.get(fingerprint(schema))
  if (name === undefined) return described(schema)
  const reference = { $ref: `#/components/schemas/${name}` }
  return 'default' in schema ? { allOf: [reference], default: schema.default } : reference
}

function described(schema: Json): Json {
  const shown: Json = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword.startsWith('x-') || keyword === 'additionalItems') continue
    if (keyword === 'patternProperties') shown.additionalProperties = schemaOf(Object.values(value as Json)[0] as Json)
    else if (keyword === 'items' && Array.isArray(value)) Object.assign(shown, tupleOf(value))
    else Object.assign(shown, { [keyword]: keywordOf(keyword, value) })
  }
  const remarks = remarksOn(schema)
  return { ...choiceType(schema), ...shown, ...(remarks && { description: remarks }) }
}

/** Forms and generators need the type of an enum, which JSON Schema leaves to its values. */
function choiceType({ type, enum: choices }: Json): Json {
  if (type !== undefined || !Array.isArray(choices)) return {}
  if (choices.every((choice) => typeof choice === 'string')) return { type: 'string' }
  return choices.every(Number.isInteger) ? { type: 'integer' } : {}
}

/** A tuple, as JSON Schema has written it since 2020. */
function tupleOf(places: Json[]): Json {
  return { prefixItems: places.map(schemaOf), items: false }
}

function keywordOf(keyword: string, value: unknown): unknown {
  if (keyword === 'properties')
    return Object.fromEntries(Object.entries(value as Json).map(([name, inner]) => [name, schemaOf(inner as Json)]))
  if (keyword === 'items') return schemaOf(value as Json)
  if (keyword === 'anyOf') return (value as Json[]).map(schemaOf)
  return value
}

function onlyForRemark({ name, values }: { name: string; values: string[] }): string {
  return `Ignored unless \`${name}\` is ${values.map((value) => `\`${value}\``).join(' or ')}.`
}

function remarksOn(schema: Json): string {
  return [
    schema.description as string | undefined,
    schema['x-topic'] && 'The value of `realm_empty_topic_display_name` is read as the empty topic.',
    schema['x-alias'] && `Also read under its older name \`${schema['x-alias']}\`; sending both is an error.`,
    schema['x-only-for'] && onlyForRemark(schema['x-only-for'] as { name: string; values: string[] }),
    schema['x-json-or-text'] && 'A text may be sent bare or as a JSON string.',
  ]
    .filter(Boolean)
    .join(' ')
}
