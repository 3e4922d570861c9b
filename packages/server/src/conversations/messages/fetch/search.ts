import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import { type Fragment, oneOf } from '../../../platform/db/fragment.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column, many } from '../../../platform/db/query.ts'
import { BadNarrow } from './narrow-terms.ts'
import type { Marks } from './search-highlights.ts'

export interface Search {
  /** The condition on a message `m`, in the form that is cheapest for a single message. */
  check: Fragment
  /** The same condition, in the form that the indexes support. */
  indexed: Fragment
  marks: Marks
}

const maxWords = 100

/**
 * Each word must occur in the content or the topic, in any of its forms or as part of another word. Each "quoted" part
 * must occur literally. Stop words (the, of …) are ignored. docs/search.md has the reasons.
 */
export async function readSearch(db: Db, caller: Caller, text: string): Promise<Search> {
  const wanted = await readParts(db, partsOf(text))
  const conditions: { check: Fragment; indexed: Fragment }[] = []
  for (const one of wanted) conditions.push(await conditionsFor(db, caller, one))
  // If no index applies, the search finds nothing: it would have to read all messages.
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
  // Quoted parts that are too short for the trigram index are also searched as words.
  const found = [...words, ...quoted.filter((part) => [...part].length < 3)]
  const parts = [
    ...[...new Set(found)].map((part) => ({ text: part.replace(/(?<=\w)\*$/, ''), is_quoted: false })),
    ...[...new Set(quoted)].map((part) => ({ text: part, is_quoted: true })),
  ]
  if (parts.length > maxWords) throw new BadNarrow('Too many words to search for')
  return parts
}

interface SearchPart extends Part {
  /** The tsquery that matches its forms; null if only the literal text matches. */
  query: string | null
  lexemes: string[]
  /** Whether it has two letters and matches as a prefix. */
  is_beginning: boolean
  /** The ILIKE pattern that matches it anywhere; null if it is too short for that. */
  pattern: string | null
  /** Its characters and bigrams, for scripts without spaces between words. */
  grams: string[] | null
}

/** Analyzes the parts. Leaves out stop words and short symbols. */
async function readParts(db: Db, parts: Part[]): Promise<SearchPart[]> {
  const rows = await many<Omit<SearchPart, 'pattern'> & { is_long: boolean }>(db)`
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
     where is_quoted or grams is not null or numnode(query) > 0 or (length(text) >= 3 and text !~ '[[:alnum:]]')`
  return rows.map(({ is_long, ...row }) => ({ ...row, pattern: is_long ? containsPattern(row.text) : null }))
}

/** An ILIKE pattern for texts that contain it. */
function containsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

function isIndexed({ text, query, grams }: SearchPart): boolean {
  return query !== null || grams !== null || [...text].length >= 3
}

async function conditionsFor(db: Db, { realm_id }: Caller, wanted: SearchPart) {
  const ids = await column<number>(db)`
    select t.id from topics t where t.realm_id = ${realm_id} and ${indexedIn(sql`t.name`, wanted)}`
  const inTopics = ids.length > 0 ? sql` or ${oneOf(sql`m.topic_id`, ids)}` : sql``
  const text = sql`m.content`
  return {
    check: sql`(${checkIn(text, wanted)}${inTopics})`,
    indexed: sql`(${indexedIn(text, wanted)}${inTopics})`,
  }
}

/** Written so that PostgreSQL can combine the indexes …_by_part, …_by_gram and …_by_word. */
function indexedIn(text: Fragment, { pattern, grams, query }: SearchPart): Fragment {
  if (grams !== null)
    return sql`(has_grams(${text}) and search_grams(${text}) @> ${grams}::text[] and ${text} ilike ${pattern})`
  const ways = [
    ...(pattern === null ? [] : [sql`${text} ilike ${pattern}`]),
    ...(query === null ? [] : [sql`to_tsvector('english', ${text}) @@ ${query}::tsquery`]),
  ]
  return sql`(${sql.join(ways, sql` or `)})`
}

/**
 * Stemming a text takes ten times as long as matching a few letters, so a prefix of the stem is checked first. Forms of
 * a word differ from the stem only in its last two letters (happy, happi; dying, die).
 */
function checkIn(text: Fragment, wanted: SearchPart): Fragment {
  if (wanted.query === null) return sql`${text} ilike ${wanted.pattern}`
  const beginnings = wanted.lexemes.map((lexeme) => containsPattern(lexeme.slice(0, Math.max(1, lexeme.length - 2))))
  return sql`(${text} ilike all (${beginnings}::text[]) and ${indexedIn(text, wanted)})`
}
