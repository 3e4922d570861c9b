import type { savedSnippet } from '@parley/api/people/snippets'
import type { Static } from 'typebox'
import type { Caller } from '../../callers/caller.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { unixSeconds } from '../../platform/text.ts'

export type SnippetObject = Static<typeof savedSnippet>

export const snippetColumns = ['id', 'title', 'content', 'date_created'] as const

export function snippetObject(row: Omit<SnippetObject, 'date_created'> & { date_created: Date }): SnippetObject {
  return { ...row, date_created: unixSeconds(row.date_created) }
}

export async function readSnippets(db: Db, { realm_id, id }: Caller): Promise<SnippetObject[]> {
  const rows = await db
    .selectFrom('saved_snippets')
    .select(snippetColumns)
    .where(matches({ realm_id, user_id: id }))
    .orderBy('id')
    .execute()
  return rows.map(snippetObject)
}
