import type pg from 'pg'

interface Reference {
  from: string
  to: string
}

/** Tables with rows of organizations, each before those that it refers to. */
export async function tablesInOrder(client: pg.Client): Promise<{ name: string; refersToItself: boolean }[]> {
  const { rows: tables } = await client.query<{ name: string }>(`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'realm_id' and not a.attisdropped
     order by 1`)
  const { rows: references } = await client.query<Reference>(`
    select distinct conrelid::regclass::text as "from", confrelid::regclass::text as "to" from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace`)
  const names = tables.map(({ name }) => name)
  return sorted(names, references).map((name) => ({
    name,
    refersToItself: references.some(({ from, to }) => from === name && to === name),
  }))
}

/** Throws if tables refer to each other in a circle, which a test would notice. */
function sorted(names: string[], references: Reference[]): string[] {
  const left = new Set(names)
  const isReferredTo = (name: string) =>
    references.some(({ from, to }) => to === name && from !== name && left.has(from))
  const order: string[] = []
  while (left.size > 0) {
    const free = [...left].filter((name) => !isReferredTo(name))
    if (free.length === 0) throw new Error(`tables refer to each other: ${[...left].join(', ')}`)
    for (const name of free) left.delete(name)
    order.push(...free)
  }
  return order
}
