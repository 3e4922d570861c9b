import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import type { Caller } from '../../users/caller.ts'
import { type Fragment, oneOf } from '../model/read-state.ts'
import { BadNarrow } from './narrow-terms.ts'
import type { Marks } from './search-highlights.ts'

export interface Search {
  /** Demands it of a message `m` in the way that takes least for one message. */
  check: Fragment
  /** The same, in the way that indexes answer. */
  indexed: Fragment
  marks: Marks
}

const mostWords = 100

/**
 * Each word must stand in the text or in the topic: in any of its forms, or as a part of another word. Each "quoted"
 * part must stand there literally. Words that say nothing (the, of …) do not count. docs/search.md has the reasons.
 */
export async function readSearch(db: Db, caller: Caller, text: string): Promise<Search> {
  const wanted = await readParts(db, partsOf(text))
  const conditions: { check: Fragment; indexed: Fragment }[] = []
  for (const one of wanted) conditions.push(await conditionsFor(db, caller, one))
  // Without anything that an index can find, all messages would have to be read.
  const all = (every: Fragment[]) => (wanted.some(isIndexed) ? sql.join(every, sql` and `) : sql`false`)
  return {
    check: all(conditions.map(({ check }) => check)),
    indexed: all(conditions.map(({ indexed }) => indexed)),
    marks: {
      lexemes: wanted.flatMap(({ lexemes }) => lexemes),
      literals: wanted.filter(({ pattern }) => pattern !== null).map(({ text }) => text),
      beginnings: wanted.filter(({ is_beginning }) => is_beginning).map(({ text }) => text),
    },
  }
}

interface Part {
  text: string
  is_quoted: boolean
}

function partsOf(text: string): Part[] {
  const quoted = [...text.matchAll(/"([^"]+)"/g)].map(([, part]) => part!)
  const words = text.replaceAll(/"[^"]*"/g, ' ').split(/[\s"]+/)
  // What is quoted but too short for the index of parts is found as a word first.
  const found = [...words, ...quoted.filter((part) => [...part].length < 3)]
  const parts = [
    ...[...new Set(found)].map((part) => ({ text: part.replace(/(?<=\w)\*$/, ''), is_quoted: false })),
    ...[...new Set(quoted)].map((part) => ({ text: part, is_quoted: true })),
  ]
  if (parts.length > mostWords) throw new BadNarrow('Too many words to search for')
  return parts
}

interface Wanted extends Part {
  /** Finds its forms; null where it stands for itself only. */
  query: string | null
  lexemes: string[]
  /** Of two letters: taken for the beginning of a word. */
  is_beginning: boolean
  /** Finds it as a part of the text; null if it is too short for that. */
  pattern: string | null
  /** Its characters and pairs, in scripts without spaces between words. */
  grams: string[] | null
}

/** Without those that say nothing: words like `the`, single signs. */
async function readParts(db: Db, parts: Part[]): Promise<Wanted[]> {
  const { rows } = await sql<Omit<Wanted, 'pattern'> & { is_long: boolean }>`
    select text, is_quoted, grams, is_beginning, lexemes,
           is_quoted or grams is not null or length(text) >= 3 as is_long,
           case when is_quoted or grams is not null or numnode(query) = 0 then null
                when is_beginning then query::text || ':*' else query::text end as query
      from (select text, is_quoted, grams, query,
                   case when is_quoted or grams is not null then '{}'
                        else tsvector_to_array(to_tsvector('english', text)) end as lexemes,
                   not is_quoted and grams is null and numnode(query) = 1 and length(text) = 2 as is_beginning
              from unnest(${parts.map(({ text }) => text)}::text[], ${parts.map(({ is_quoted }) => is_quoted)}::boolean[])
                     p(text, is_quoted),
                   search_grams(text) grams, plainto_tsquery('english', text) query) p
     where is_quoted or grams is not null or numnode(query) > 0 or (length(text) >= 3 and text !~ '[[:alnum:]]')`.execute(
    db,
  )
  return rows.map(({ is_long, ...row }) => ({ ...row, pattern: is_long ? anywhere(row.text) : null }))
}

/** A pattern for texts that hold it somewhere. */
function anywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

function isIndexed({ text, query, grams }: Wanted): boolean {
  return query !== null || grams !== null || [...text].length >= 3
}

async function conditionsFor(db: Db, { realm_id }: Caller, wanted: Wanted) {
  const { rows } = await sql<{ id: number }>`
    select t.id from topics t where t.realm_id = ${realm_id} and ${indexedIn(sql`t.name`, wanted)}`.execute(db)
  const ids = rows.map(({ id }) => id)
  const inTopics = ids.length > 0 ? sql` or ${oneOf(sql`m.topic_id`, ids)}` : sql``
  const text = sql`m.content`
  return {
    check: sql`(${checkIn(text, wanted)}${inTopics})`,
    indexed: sql`(${indexedIn(text, wanted)}${inTopics})`,
  }
}

/** Written so that the indexes …_by_part, …_by_gram and …_by_word answer it together. */
function indexedIn(text: Fragment, { pattern, grams, query }: Wanted): Fragment {
  if (grams !== null)
    return sql`(has_grams(${text}) and search_grams(${text}) @> ${grams}::text[] and ${text} ilike ${pattern})`
  const ways = [
    ...(pattern === null ? [] : [sql`${text} ilike ${pattern}`]),
    ...(query === null ? [] : [sql`to_tsvector('english', ${text}) @@ ${query}::tsquery`]),
  ]
  return sql`(${sql.join(ways, sql` or `)})`
}

/**
 * To find the stems of a text takes ten times as long as to look for a few letters. No form of a word differs from its
 * stem before the last two letters of that (happy, happi; dying, die), nor from the word that was typed.
 */
function checkIn(text: Fragment, wanted: Wanted): Fragment {
  if (wanted.query === null) return sql`${text} ilike ${wanted.pattern}`
  const beginnings = wanted.lexemes.map((lexeme) => anywhere(lexeme.slice(0, Math.max(1, lexeme.length - 2))))
  return sql`(${text} ilike all (${beginnings}::text[]) and ${indexedIn(text, wanted)})`
}
