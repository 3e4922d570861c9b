import { sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'
import type { Caller } from '../users/caller.ts'
import { BadNarrow } from './narrow-terms.ts'
import { type Fragment, oneOf } from './read-state.ts'

export interface Search {
  condition: Fragment
  /** Matches any of the words, for marking them in what was found; null if there are only stop words. */
  anyWord: string | null
}

const mostWords = 100

/**
 * Each word must stand, in any form of it, in the text or in the topic; each "quoted" part must stand there
 * literally as well. Words that say nothing (the, of …) do not count.
 */
export async function readSearch(db: Db, caller: Caller, text: string): Promise<Search> {
  const quoted = [...text.matchAll(/"([^"]+)"/g)].map(([, part]) => part!)
  const words = await findWords(db, caller, text)
  const conditions = [...words.map(hasWord), ...quoted.map(hasLiteral)]
  return {
    condition: conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`false`,
    anyWord: words.length > 0 ? words.map(({ query }) => `(${query})`).join(' | ') : null,
  }
}

interface Word {
  query: string
  /** The topics that have it in their names. */
  topics: number[]
}

async function findWords(db: Db, { realm_id }: Caller, text: string): Promise<Word[]> {
  const words = [...new Set(text.replaceAll('"', ' ').trim().split(/\s+/))]
  if (words.length > mostWords) throw new BadNarrow('Too many words to search for')
  const { rows } = await sql<Word>`
    select q.query::text,
           array(select t.id from topics t where t.realm_id = ${realm_id} and to_tsvector('english', t.name) @@ q.query) as topics
      from unnest(${words}::text[]) w(word) cross join lateral plainto_tsquery('english', w.word) q(query)
     where numnode(q.query) > 0`.execute(db)
  return rows
}

/** Written so that the index messages_by_word answers it, together with messages_by_topic. */
function hasWord({ query, topics }: Word): Fragment {
  const inText = sql`to_tsvector('english', m.content) @@ ${query}::tsquery`
  return topics.length === 0 ? sql`${inText}` : sql`(${inText} or ${oneOf(sql`m.topic_id`, topics)})`
}

function hasLiteral(part: string): Fragment {
  const pattern = `%${part.replace(/[\\%_]/g, '\\$&')}%`
  return sql`(m.content ilike ${pattern} or t.name ilike ${pattern})`
}
