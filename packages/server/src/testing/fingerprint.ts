import assert from 'node:assert/strict'
import type { World } from './world.ts'

/** What a refused request may change: the last poll of a queue, the number of failed passwords. */
const notCompared = ['queues', 'login_failures']

let query: Promise<string> | undefined

/** One hash of a realm's rows per table, to detect whether a request changed anything. */
export async function fingerprint({ ctx, realmId }: Pick<World, 'ctx' | 'realmId'>): Promise<Record<string, string>> {
  query ??= buildQuery(ctx)
  const { rows } = await ctx.pool.query<Record<string, string>>(await query, [realmId])
  return rows[0]!
}

async function buildQuery({ pool }: World['ctx']): Promise<string> {
  const { rows } = await pool.query<{ name: string }>(`
    select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_name)
     where c.column_name = 'realm_id' and c.table_schema = 'public' and t.table_type = 'BASE TABLE' order by 1`)
  const compared = rows.filter(({ name }) => !notCompared.includes(name))
  assert.ok(compared.length > 10)
  return `select ${compared.map(({ name }) => `(${hashOf(name)}) as ${name}`).join()}, (${countOf('queues')}) as queues`
}

/** Needs neither sorting nor the text of the rows: the tables grow with every request. */
const hashOf = (table: string) => `select sum(hash_record_extended(t, 0))::text from ${table} t where realm_id = $1`
const countOf = (table: string) => `select count(*)::text from ${table} where realm_id = $1`
