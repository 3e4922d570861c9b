import { registerParts } from '@parley/api/delivery/register'
import type { Operation } from '@parley/api/operation'
import { operations } from '@parley/api/operations'
import { realmSettings } from '@parley/api/settings'

/** What the client needs of the contract at run time, without the schemas, which are for the server. */
export function describeWire(): string {
  const { update_display_settings, update_global_notifications } = registerParts
  return `/** Generated from packages/api. Do not edit: npm run wire */
import type { Wire } from './encode.ts'

export const wire = {
${Object.values<Operation>(operations).map(describeOperation).join('\n')}
} as const satisfies Record<string, Wire>

export const legacySettingNames = ${list([...Object.keys(update_display_settings), ...Object.keys(update_global_notifications)])}

export const realmSettingNames = ${list(Object.keys(realmSettings))}
`
}

function describeOperation({ name, method, path, params }: Operation): string {
  const eitherWay = Object.entries(params).filter(
    ([, schema]) => 'x-json-or-text' in schema && schema['x-json-or-text'],
  )
  const names = eitherWay.length === 0 ? '' : `, ${list(eitherWay.map(([param]) => param))}`
  return `  ${name}: ['${method}', '${path}'${names}],`
}

function list(names: string[]): string {
  return `[${names.map((name) => `'${name}'`).join(', ')}]`
}
