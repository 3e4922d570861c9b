import { lookup } from '@parley/api/lookup'
import type { Operation } from '@parley/api/operation'

type Values = Record<string, unknown>

/** An operation's URL below /api/v1, and its parameters as a form carries them. */
export function encodeCall(operation: Operation, values: Values): { path: string; form: URLSearchParams } {
  const { path: parts = {}, ...params } = values
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(lookup(parts as Values, name))),
  )
  return { path, form: encodeParams(operation, params) }
}

function encodeParams(operation: Operation, params: Values): URLSearchParams {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) form.set(name, isBare(operation, name, value) ? (value as string) : JSON.stringify(value))
  }
  return form
}

/** Text travels bare, but not where the server would take a channel that is called 7 for the one with that id. */
function isBare(operation: Operation, name: string, value: unknown): boolean {
  const schema = lookup(operation.params, name) as Values | undefined
  return typeof value === 'string' && schema?.['x-json-or-text'] !== true
}
