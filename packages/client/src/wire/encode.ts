import { lookup } from '@parley/api/lookup'

type Values = Record<string, unknown>

/** How an operation is called; the parameters at the end are sent either as JSON or as bare text. */
export type Wire = readonly [method: string, path: string, eitherWay?: readonly string[]]

/** The URL of an operation below /api/v1, and its parameters in form encoding. */
export function encodeCall(wire: Wire, values: Values): { path: string; form: URLSearchParams } {
  const { path: parts = {}, ...params } = values
  const path = wire[1].replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(lookup(parts as Values, name))),
  )
  return { path, form: encodeParams(wire, params) }
}

function encodeParams(wire: Wire, params: Values): URLSearchParams {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) form.set(name, isBare(wire, name, value) ? value : JSON.stringify(value))
  }
  return form
}

/** Text is sent as it is, except where the server would read a channel named "7" as an id. */
function isBare([, , eitherWay = []]: Wire, name: string, value: unknown): value is string {
  return typeof value === 'string' && !eitherWay.includes(name)
}
