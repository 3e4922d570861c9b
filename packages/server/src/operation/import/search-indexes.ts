import pg from 'pg'

/** The indexes for search take most of the time of an import. Written as in the migrations; a test compares them. */
const indexes = {
  messages_by_word: `(to_tsvector('english'::regconfig, content)) with (gin_pending_list_limit = 256)`,
  messages_by_part: '(content gin_trgm_ops) with (gin_pending_list_limit = 256)',
  messages_by_gram: '(search_grams(content)) with (gin_pending_list_limit = 256) where has_grams(content)',
}

/** Held by the process that imports or builds these indexes. */
export const importLock = 7_201_842_131

/** Below that, building them again takes longer than it saves. */
const worthwhile = 5000
const mostOfOthers = 1000

interface Situation {
  may: boolean
  others: number
  own: number
}

/**
 * Drops the indexes, unless other organizations would miss them: all share one table. `messages`: how many are imported. Needs
 * the owner of the table; does nothing for others.
 */
export async function dropSearchIndexes(owner: pg.Client, realmId: number, messages: number): Promise<void> {
  const { rows } = await owner.query<Situation>(
    `select pg_has_role(relowner, 'usage') as may,
            (select last_message from realm_counters where realm_id = $1) as own,
            (select count(*) from (select 1 from messages where realm_id <> $1 limit ${mostOfOthers + 1}) other) as others
       from pg_class where oid = 'public.messages'::regclass`,
    [realmId],
  )
  const { may, own, others } = rows[0]!
  if (!may || others > mostOfOthers || messages < worthwhile || own > messages) return
  for (const name of Object.keys(indexes)) await owner.query(`drop index concurrently if exists ${name}`)
}

/** Builds those that are missing, while the table is used. */
export async function buildSearchIndexes(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class join pg_index on indexrelid = pg_class.oid
      where indrelid = 'public.messages'::regclass and indisvalid`,
  )
  const missing = Object.entries(indexes).filter(([name]) => !rows.some((row) => row.name === name))
  if (missing.length === 0) return
  await owner.query("set maintenance_work_mem = '256MB'")
  for (const [name, definition] of missing) {
    await owner.query(`drop index concurrently if exists ${name}`) // what a build that was interrupted has left
    await owner.query(`create index concurrently ${name} on messages using gin ${definition}`)
  }
}

/** Builds what a killed import has dropped, unless one is running. */
export async function restoreSearchIndexes(url: string): Promise<void> {
  const owner = new pg.Client({ connectionString: url })
  owner.on('error', () => {})
  await owner.connect()
  try {
    const { rows } = await owner.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [importLock])
    if (rows[0]!.free) await buildSearchIndexes(owner)
  } finally {
    await owner.end()
  }
}
