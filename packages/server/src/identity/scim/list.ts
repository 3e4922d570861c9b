import { lookup } from '@parley/api/lookup'
import { type RawBuilder, sql } from 'kysely'
import type { RawParams } from '../../platform/http/body.ts'
import type { Comparison } from './filter.ts'
import { parseFilter } from './filter.ts'
import type { Json } from './patch.ts'
import { ScimError } from './scim-error.ts'

/** The resources of a response. */
export interface Page {
  offset: number
  limit: number
}

export const maxResults = 200
const defaultResults = 100

/** What a request for a list asks for. `startIndex` counts from 1. */
export function readListParams(query: RawParams): { filter: Comparison[]; page: Page } {
  const { filter, startIndex, count } = query
  const start = Math.max(1, numberIn('startIndex', startIndex) ?? 1)
  const limit = Math.min(maxResults, Math.max(0, numberIn('count', count) ?? defaultResults))
  return { filter: filter === undefined ? [] : parseFilter(filter), page: { offset: start - 1, limit } }
}

function numberIn(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^-?\d{1,9}$/.test(text)) throw new ScimError(`${name} must be a number.`, 'invalidValue')
  return Number(text)
}

export const noMatch = sql`false`

/** The id of a resource is a number; other text is the id of none. */
export function idIn(value: unknown): number {
  return /^\d{1,15}$/.test(String(value)) ? Number(value) : 0
}

type Conditions = Record<string, (value: Comparison['value']) => RawBuilder<unknown>>

/** SQL for a filter. */
export function conditionsOf(filter: Comparison[], attributes: Conditions): RawBuilder<unknown> {
  const all = filter.map(({ path, value }) => {
    const within = path.filter
      ? conditionsOf(
          path.filter.map((inner) => inside(path.attribute, inner)),
          attributes,
        )
      : sql`true`
    const condition = lookup(attributes, nameOf(path))
    if (!condition) throw new ScimError(`A filter cannot compare ${nameOf(path)}.`, 'invalidFilter')
    return sql`${within} and ${condition(value)}`
  })
  return all.length === 0 ? sql`true` : sql.join(all, sql` and `)
}

function inside(attribute: string, { path, value }: Comparison): Comparison {
  return { path: { attribute, filter: undefined, sub: path.attribute }, value }
}

function nameOf({ attribute, sub }: Comparison['path']): string {
  return sub === undefined ? attribute : `${attribute}.${sub}`
}

export function listResponse(resources: Json[], { offset }: Page, total: number): Json {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}

/** Leaves out what the client does not want. */
export function shownAttributes(resource: Json, { attributes, excludedAttributes }: RawParams): Json {
  const always = new Set(['schemas', 'id'])
  const wanted = attributes === undefined ? undefined : namesIn(attributes)
  const unwanted = namesIn(excludedAttributes ?? '')
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => {
      const key = name.toLowerCase()
      return always.has(key) || (wanted ? wanted.has(key) : !unwanted.has(key))
    }),
  )
}

export function namesIn(list: string): Set<string> {
  return new Set(list.split(',').map((name) => name.trim().toLowerCase().split('.')[0]!))
}
