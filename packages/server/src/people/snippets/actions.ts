import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { checkStorageLimit } from '../users/storage-limits.ts'
import { snippetColumns, snippetObject } from './queries.ts'

/** Snippets of other users fail exactly like snippets that do not exist. */
class NoSuchSnippet extends ApiError {
  constructor() {
    super('Saved snippet does not exist.', 'BAD_REQUEST', { status: 404 })
  }
}

export async function createSnippet(tx: Tx, { id }: Caller, text: { title: string; content: string }): Promise<number> {
  const row = await tx.db
    .insertInto('saved_snippets')
    .values({ realm_id: tx.realmId, user_id: id, ...text })
    .returning(snippetColumns)
    .executeTakeFirstOrThrow()
  await checkStorageLimit(tx, id, 'saved_snippets')
  tx.emit({ type: 'saved_snippets', op: 'add', saved_snippet: snippetObject(row) }, { users: [id] })
  return row.id
}

export async function editSnippet(
  tx: Tx,
  { id }: Caller,
  snippetId: number,
  text: { title?: string; content?: string },
): Promise<void> {
  const row = await tx.db
    .updateTable('saved_snippets')
    .set(text)
    .where(matches({ realm_id: tx.realmId, user_id: id, id: snippetId }))
    .returning(snippetColumns)
    .executeTakeFirst()
  if (!row) throw new NoSuchSnippet()
  tx.emit({ type: 'saved_snippets', op: 'update', saved_snippet: snippetObject(row) }, { users: [id] })
}

export async function deleteSnippet(tx: Tx, { id }: Caller, snippetId: number): Promise<void> {
  const deleted = await tx.db
    .deleteFrom('saved_snippets')
    .where(matches({ realm_id: tx.realmId, user_id: id, id: snippetId }))
    .returning('id')
    .executeTakeFirst()
  if (!deleted) throw new NoSuchSnippet()
  tx.emit({ type: 'saved_snippets', op: 'remove', saved_snippet_id: deleted.id }, { users: [id] })
}
