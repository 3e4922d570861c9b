/** An object of the export. What is not of the expected type is as good as absent. */
export type Fields = Record<string, unknown>

export function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('an object is missing')
  return value as Fields
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** PostgreSQL stores no NUL, and UTF-8 no half of a character. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD').toWellFormed() : ''
}

export function requiredText(value: unknown, what: string): string {
  const text = textOf(value)
  if (text === '') throw new Error(`${what} is missing`)
  return text
}

export function timeOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
