import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listLimits, maxEventTypeLength } from '@parley/api/limits'
import { operationList } from '@parley/api/operations'
import { register } from '@parley/api/queues'
import { newWorld } from '../testing/world.ts'

interface Schema {
  type?: string
  maxItems?: number
  items?: Schema
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
}

/** The paths in a parameter that accept a list of any length. */
function unlimitedLists(schema: Schema, place: string): string[] {
  const own = schema.type === 'array' && schema.maxItems === undefined ? [place] : []
  const inside = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]
  const named = Object.entries({ ...schema.properties, ...schema.patternProperties })
  return [
    ...own,
    ...inside.flatMap((part) => unlimitedLists(part, place)),
    ...named.flatMap(([name, part]) => unlimitedLists(part, `${place}.${name}`)),
  ]
}

test('every list in the parameters of every operation has a limit', () => {
  const places = operationList.flatMap(({ name, params }) =>
    Object.entries(params).flatMap(([param, schema]) => unlimitedLists(schema as Schema, `${name} ${param}`)),
  )
  assert.deepEqual(places, [])
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
