import { lookup } from '@parley/api/lookup'
import { firstCharacters, lengthOf } from '../../../platform/text.ts'

/** A row of an export of an organization, in the layout of docs/export.md. Nothing in it can be trusted. */
export type Row = Record<string, unknown>

/** Ids above this are not believed, so that sequences keep room. */
const largestId = 1e12

/** PostgreSQL stores no NUL, and UTF-8 no half of a character. */
export function clean(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD').toWellFormed() : ''
}

/** JSON that PostgreSQL can store, whatever strings are inside. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? clean(one) : one))
}

/** At most `longest` characters. */
export function short(value: unknown, longest: number): string {
  const text = clean(value)
  return lengthOf(text) > longest ? firstCharacters(text, longest) : text
}

/** One line of at most `longest` characters. */
export function oneLine(value: unknown, longest: number): string {
  const text = clean(value).replace(/[\p{Control}\p{Surrogate}\p{Noncharacter_Code_Point}]+/gu, ' ')
  return short(text.trim(), longest).trim()
}

export function idIn(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= largestId) return value
  throw new Error(`${what} is missing or no id`)
}

export function integerIn(value: unknown, least: number, most: number): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : undefined
}

export function idsIn(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'number' && Number.isInteger(id)) : []
}

export function rowsIn(value: unknown): Row[] {
  return Array.isArray(value) ? value.filter((row): row is Row => typeof row === 'object' && row !== null) : []
}

const earliest = Date.UTC(1970, 0, 1) * 1000
const latest = Date.UTC(9000, 0, 1) * 1000

/** A time in microseconds: from `NAME_us`, or from `NAME` in seconds. */
export function microsecondsIn(row: Row, name: string): number | undefined {
  const [exact, seconds] = [lookup(row, `${name}_us`), lookup(row, name)]
  const time = typeof exact === 'number' ? exact : typeof seconds === 'number' ? Math.round(seconds * 1e6) : Number.NaN
  return Number.isSafeInteger(time) && time >= earliest && time <= latest ? time : undefined
}

/** As PostgreSQL reads it. */
export function timestampOf(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0')
  return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`)
}

/** A time that may be missing; then it is now. */
export function timestampIn(row: Row, name: string): string {
  const time = microsecondsIn(row, name)
  return time === undefined ? new Date().toISOString() : timestampOf(time)
}
