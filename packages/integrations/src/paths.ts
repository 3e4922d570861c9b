/** The value at a dotted path. Only own properties count. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((found, name) => ownValue(found, name), value)
}

function ownValue(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? lookup(value as Record<string, unknown>, name) : undefined
}

/** The own property of a table with this name, if there is one. */
export function lookup<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  // allowed: only own properties are looked up
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** Text of a value: of objects and lists their JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
