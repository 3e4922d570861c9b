import type { savedSnippet } from '@parley/api/snippets'
import type { Static } from 'typebox'
import { matches } from '../platform/db/matches.ts'
import type { Db } from '../platform/db/pool.ts'
import { unixSeconds } from '../platform/text.ts'
import type { Caller } from '../users/caller.ts'

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
