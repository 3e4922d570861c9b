import { emptyTopicDisplayName, featureLevel, maxMessageLength, maxTopicLength, roles } from '@parley/api/common'
import type { Operation } from '@parley/api/operation'
import { operations } from '@parley/api/operations'
import { registerParts } from '@parley/api/register'
import { ownerOnlySettings, realmGroupSettings, realmSettings } from '@parley/api/settings'
import type { Plugin } from 'vite'

type Values = Record<string, unknown>

const namesOf = (table: object) => Object.fromEntries(Object.keys(table).map((name) => [name, true]))

/** What the client uses to encode a call. */
function encodingOf({ method, path, params }: Operation): Values {
  const special = Object.entries(params as Values).filter(([, schema]) => (schema as Values)['x-json-or-text'])
  return { method, path, params: Object.fromEntries(special.map(([name]) => [name, { 'x-json-or-text': true }])) }
}

/** What the browser needs of these modules, by their name in packages/api. */
const modules = new Map<string, Values>([
  ['common', { emptyTopicDisplayName, featureLevel, maxMessageLength, maxTopicLength, roles }],
  [
    'operations',
    { operations: Object.fromEntries(Object.entries(operations).map(([name, one]) => [name, encodingOf(one)])) },
  ],
  [
    'register',
    { registerParts: Object.fromEntries(Object.entries(registerParts).map(([name, part]) => [name, namesOf(part)])) },
  ],
  [
    'settings',
    { ownerOnlySettings, realmGroupSettings: namesOf(realmGroupSettings), realmSettings: namesOf(realmSettings) },
  ],
])

function sourceOf(value: unknown): string {
  return value instanceof Set ? `new Set(${JSON.stringify([...value])})` : JSON.stringify(value)
}

/** Leaves the schemas of the API out of the browser's scripts, which use only names, methods and paths of it. */
export function wireOnly(): Plugin {
  return {
    name: 'parley-wire-only',
    load(id) {
      const values = modules.get(/packages\/api\/src\/([\w-]+)\.ts$/.exec(id)?.[1] ?? '')
      if (!values) return null
      return Object.entries(values)
        .map(([name, value]) => `export const ${name} = ${sourceOf(value)}`)
        .join('\n')
    },
  }
}
