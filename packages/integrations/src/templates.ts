import { Liquid, type Template } from 'liquidjs'
import { addFilters } from './filters.ts'
import type { Payload } from './integration.ts'
import { escapeText } from './markup.ts'
import { textOf } from './paths.ts'

/** In milliseconds, for one template. */
const renderLimit = 200

const limits = { parseLimit: 50_000, renderLimit, memoryLimit: 5_000_000 }
// Templates find no others: neither files nor names.
const options = { ...limits, ownPropertyOnly: true, strictVariables: false, templates: {} }

function engineWith(outputEscape: (value: unknown) => string): Liquid {
  const engine = new Liquid({ ...options, outputEscape })
  addFilters(engine)
  return engine
}

/** For messages, where values are escaped, and for topics and keys, which are plain text. */
const engines = {
  markup: engineWith((value) => escapeText(textOf(value))),
  plain: engineWith(textOf),
}

export type TemplateKind = keyof typeof engines

/** A template that cannot be parsed, or cannot be rendered within its limits. */
export class TemplateError extends Error {}

const cacheSize = 500
const parsed = new Map<string, Template[]>()

export function renderTemplate(kind: TemplateKind, source: string, payload: Payload): string {
  try {
    const scope = typeof payload === 'object' && payload !== null ? { ...payload, payload } : { payload }
    return String(engines[kind].renderSync(parseTemplate(kind, source), scope)).trim()
  } catch (error) {
    throw new TemplateError(firstLine((error as Error).message))
  }
}

/** Throws `TemplateError` for a template that cannot be parsed. */
export function checkTemplate(source: string): void {
  try {
    engines.markup.parse(source)
  } catch (error) {
    throw new TemplateError(firstLine((error as Error).message))
  }
}

function parseTemplate(kind: TemplateKind, source: string): Template[] {
  const key = `${kind} ${source}`
  const known = parsed.get(key)
  if (known) return known
  if (parsed.size >= cacheSize) parsed.clear()
  const template = engines[kind].parse(source)
  parsed.set(key, template)
  return template
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!
}
