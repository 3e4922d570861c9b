/**
 * The table's own entry of that name. Names come from clients: a plain `table[name]` would also find what every object
 * inherits, such as `constructor`.
 */
export function lookup<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  // eslint-disable-next-line parley/no-lookup-by-string -- the one place that may
  return Object.hasOwn(table, name) ? table[name] : undefined
}
