import assert from 'node:assert/strict'
import { test } from 'node:test'
import { register } from '@parley/api/delivery/queues'
import { listLimits, maxEventTypeLength, textLimits } from '@parley/api/limits'
import { operationList } from '@parley/api/operations'
import { createUserGroup } from '@parley/api/organization/groups'

import { newWorld } from '../../testing/world.ts'

interface Schema {
  type?: string
  enum?: unknown[]
  const?: unknown
  maxItems?: number
  maxLength?: number
  maxProperties?: number
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  propertyNames?: Schema
}

type Found = [place: string, schema: Schema]

/** The schema of a parameter and of everything in it. */
function within(place: string, schema: Schema): Found[] {
  const parts = Object.entries({ ...schema.properties, '*': Object.values(schema.patternProperties ?? {})[0] })
  return [
    [place, schema],
    ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((part) => within(place, part)),
    ...(schema.items ? within(`${place}[]`, schema.items) : []),
    ...parts.flatMap(([name, part]) => (part ? within(`${place}.${name}`, part) : [])),
  ]
}

const parameters = operationList.flatMap(({ name, pathParams, params }) =>
  Object.entries({ ...pathParams, ...params }).flatMap(([param, schema]) =>
    within(`${name} ${param}`, schema as Schema),
  ),
)

/** Whether values of any size are accepted: text, lists, objects of any keys, and what has no type at all. */
function isUnlimited(schema: Schema): boolean {
  const { type, anyOf, allOf, enum: values } = schema
  if (values || 'const' in schema || anyOf || allOf) return false
  if (type === 'string') return schema.maxLength === undefined
  if (type === 'array') return schema.maxItems === undefined || schema.items === undefined
  if (type === 'object' && schema.patternProperties)
    return schema.maxProperties === undefined || schema.propertyNames?.maxLength === undefined
  return type === undefined || (type === 'object' && schema.properties === undefined)
}

test('every text, list and object in the parameters of every operation has a limit', () => {
  const unlimited = parameters.filter(([, schema]) => isUnlimited(schema))
  assert.deepEqual(
    unlimited.map(([place]) => place),
    [],
  )
})

test('only what is truncated, or has a limit in all, is long', () => {
  const long = parameters.filter(([, { maxLength = 0 }]) => maxLength > textLimits.profileValue)
  const names = new Set(long.map(([place]) => place.replace(/^\w+ (.*\.)?/, '')))
  // `*`: the storage of a bot. Emails are counted, each has a rule.
  assert.deepEqual([...names].sort(), ['*', 'content', 'invitee_emails', 'payload', 'topic', 'topic_name'])
})

test('a text that is too long is refused with its limit', async () => {
  const { ann } = await newWorld()
  const { code, msg } = await ann.isRefused(createUserGroup, { name: 'x', members: [], description: 'x'.repeat(1025) })
  assert.deepEqual([code, msg], ['BAD_REQUEST', 'description is too long (limit: 1024 characters)'])
  await ann.does(createUserGroup, { name: 'x', members: [], description: '😀'.repeat(1024) })
})

test('a path with a text that is too long is refused', async () => {
  const { ann, app } = await newWorld()
  const { headers } = ann
  const response = await app.inject({ method: 'GET', url: `/api/v1/users/${'x'.repeat(1001)}@x.test`, headers })
  assert.equal(response.json().code, 'BAD_REQUEST')
})

test('a registration may name a limited number of event types, each of limited length', async () => {
  const { ann } = await newWorld()
  const names = (count: number) => Array.from({ length: count }, (_, n) => `type${n}`)
  await ann.does(register, { event_types: names(listLimits.eventTypes) })
  const { code, msg } = await ann.isRefused(register, { event_types: names(listLimits.eventTypes + 1) })
  assert.equal(code, 'BAD_REQUEST')
  assert.match(msg, /event_types.*200/)
  await ann.isRefused(register, { event_types: ['x'.repeat(maxEventTypeLength + 1)] })
})

test('operands and capabilities that are stored with a queue are bounded', async () => {
  const { ann, ctx } = await newWorld()
  const long = 'x'.repeat(100_000)
  await ann.isRefused(register, { narrow: [['topic', long]] })
  const client_capabilities = { notification_settings_null: true, [long]: true, surprise: long }
  const { queue_id } = await ann.does(register, { client_capabilities })
  const queue = await ctx.db.selectFrom('queues').select('options').where('id', '=', queue_id).executeTakeFirstOrThrow()
  assert.deepEqual((queue.options as { capabilities: object }).capabilities, { notification_settings_null: true })
})
