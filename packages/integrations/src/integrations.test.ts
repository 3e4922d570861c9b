import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { readFixtures } from './fixtures.ts'
import { handleRequest, type Outcome } from './handle.ts'
import { integrations } from './registry.ts'

const folder = join(import.meta.dirname, '..')
const isWriting = process.env.WRITE_EXPECTED === '1'

for (const integration of integrations) {
  for (const { name, request } of readFixtures(folder, integration.name)) {
    test(`${integration.name}: ${name} becomes the expected message`, () => {
      const path = join(folder, integration.name, 'fixtures', `${name}.expected.md`)
      const written = asText(handleRequest(integration, request))
      if (isWriting) writeFileSync(path, written)
      assert.equal(written, readFileSync(path, 'utf8'))
      assert.doesNotMatch(written, /undefined|\[object/)
    })
  }

  test(`${integration.name} has an icon, steps and a fixture for each event`, () => {
    for (const file of ['icon.svg', 'setup.md']) assert.ok(existsSync(join(folder, integration.name, file)), file)
    const events = readFixtures(folder, integration.name).map(({ request }) => {
      const outcome = handleRequest(integration, request)
      return outcome.kind === 'message' ? outcome.event : outcome.kind
    })
    const missing = Object.keys(integration.events).filter(
      (event) => !events.some((one) => one === event || one.startsWith(`${event}.`)),
    )
    assert.deepEqual(missing, [])
  })
}

const names = fc.constantFrom(
  'action',
  'data',
  'issue',
  'alerts',
  'commits',
  'text',
  'blocks',
  'type',
  '__proto__',
  'ref',
)
const texts = fc.oneof(fc.string(), fc.constantFrom('@**all**', '@*admins*', '@_**x**', '`', '](', '{{ x }}', '~~~'))
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, texts, fc.integer(), fc.constant(null), tie('object'), tie('list')),
  object: fc.dictionary(names, tie('value')),
  list: fc.array(tie('value'), { maxLength: 4 }),
}))

for (const integration of integrations) {
  test(`${integration.name} makes something of any JSON, without an error and without a mention`, () => {
    const fixtures = readFixtures(folder, integration.name)
    const request = fc.tuple(fc.constantFrom(...fixtures), fc.array(fc.tuple(fc.nat(), value), { maxLength: 4 }))
    fc.assert(
      fc.property(request, ([fixture, changes]) => {
        const body = integration.body === 'text' ? fixture.request.body : changed(fixture.request.body, changes)
        const outcome = handleRequest(integration, { ...fixture.request, body })
        if (outcome.kind === 'message') assert.doesNotMatch(outcome.text, /@_?\*/)
      }),
      { numRuns: 150 },
    )
  })
}

/** The JSON with some of its values replaced. */
function changed(body: string, changes: [number, unknown][]): string {
  let count = 0
  const size = [...body.matchAll(/:/g)].length + 1
  const places = new Map(changes.map(([place, value]) => [place % size, value]))
  return JSON.stringify(JSON.parse(body, (_name, old) => (places.has(count++) ? places.get(count - 1) : old)))
}

function asText(outcome: Outcome): string {
  return outcome.kind === 'message' ? `${outcome.topic}\n\n${outcome.text}\n` : `${JSON.stringify(outcome)}\n`
}
