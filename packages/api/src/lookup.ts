/**
 * Returns the table's own entry. Names come from clients: a plain `table[name]` would also find what every object
 * inherits, such as `constructor`.
 */
export function lookup<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  // allowed: the only place that may do this
  return Object.hasOwn(table, name) ? table[name] : undefined
}
