import { lookup } from '@parley/api/lookup'
import type { Json } from './openapi-schemas.ts'

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Plain text with `code` in it, as HTML. */
export function prose(text: unknown): string {
  return escapeHtml(String(text ?? '')).replace(/`([^`]+)`/g, '<code>$1</code>')
}

/** The fields of an object, one row each; nested objects are collapsed. */
export function fieldTable(schema: Json): string {
  const required = new Set((schema.required as string[] | undefined) ?? [])
  const rows = Object.entries((schema.properties ?? {}) as Record<string, Json>)
  return table(rows.map(([name, field]) => fieldRow(name, field, required.has(name))))
}

export function table(rows: string[]): string {
  return rows.length === 0 ? '' : `<table>${rows.join('')}</table>`
}

export function fieldRow(name: string, schema: Json, isRequired: boolean, description = schema.description): string {
  const need = isRequired ? ' <b>required</b>' : ''
  const about = [prose(description), limitsOf(schema), folded(schema)].filter(Boolean).join(' ')
  return `<tr><th><code>${escapeHtml(name)}</code>${need}</th><td>${typeOf(schema)}</td><td>${about}</td></tr>`
}

/** The type in TypeScript notation, with links to named schemas. */
export function typeOf(schema: Json): string {
  if (typeof schema.$ref === 'string') return linkTo(schema.$ref.split('/').at(-1)!)
  if ('const' in schema) return literal(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ')
  const parts = (schema.anyOf ?? schema.allOf) as Json[] | undefined
  if (parts) return [...new Set(parts.map(typeOf))].join(schema.anyOf ? ' | ' : ' &amp; ')
  if (Array.isArray(schema.prefixItems)) return `[${schema.prefixItems.map(typeOf).join(', ')}]`
  if (schema.type === 'array') return `(${typeOf((schema.items ?? {}) as Json)})[]`.replace(/^\(([\w.]+)\)/, '$1')
  if (typeof schema.additionalProperties === 'object')
    return `{ [key]: ${typeOf(schema.additionalProperties as Json)} }`
  return schema.type === undefined ? 'any' : escapeHtml([schema.type].flat().join(' | '))
}

function linkTo(name: string): string {
  return `<a href="#schema-${escapeHtml(name)}">${escapeHtml(name)}</a>`
}

function literal(value: unknown): string {
  return `<code>${escapeHtml(JSON.stringify(value))}</code>`
}

const limits: Record<string, string> = {
  minimum: 'at least',
  maximum: 'at most',
  maxLength: 'longest length',
  minItems: 'fewest items',
  maxItems: 'most items',
  default: 'default',
}

/** The largest safe integer is not worth showing as a limit. */
function limitsOf(schema: Json): string {
  const declared = Object.entries(limits).map(([key, word]) => ({ word, limit: lookup(schema, key) }))
  const known = declared.filter(({ limit }) => limit !== undefined && limit !== Number.MAX_SAFE_INTEGER)
  const words = known.map(({ word, limit }) => `${word} ${literal(limit)}`)
  return words.length === 0 ? '' : `<small>${words.join(', ')}</small>`
}

/** The fields of unnamed objects inside this schema. */
function folded(schema: Json): string {
  const tables = inlineObjects(schema).map(fieldTable)
  return tables.length === 0 ? '' : `<details><summary>fields</summary>${tables.join('')}</details>`
}

function inlineObjects(schema: Json): Json[] {
  if (schema.properties) return [schema]
  const inner = [schema.items, schema.additionalProperties, schema.anyOf, schema.allOf, schema.prefixItems].flat()
  return inner.filter((one) => typeof one === 'object' && one !== null).flatMap((one) => inlineObjects(one as Json))
}
