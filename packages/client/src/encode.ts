import { lookup } from '@parley/api/lookup'
import type { Operation } from '@parley/api/operation'

type Values = Record<string, unknown>

/** The URL of an operation below /api/v1, and its parameters in form encoding. */
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

/** Text is sent as it is, except where the server would read a channel named "7" as an id. */
function isBare(operation: Operation, name: string, value: unknown): boolean {
  const schema = lookup(operation.params, name) as Values | undefined
  return typeof value === 'string' && schema?.['x-json-or-text'] !== true
}
