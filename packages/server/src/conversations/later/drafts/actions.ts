import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { checkStorageLimit } from '../../../people/users/storage-limits.ts'
import { matches } from '../../../platform/db/matches.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { CheckedDraft } from './access.ts'
import { draftColumns, draftObject } from './queries.ts'

/** Drafts of other users fail exactly like drafts that do not exist. */
class NoSuchDraft extends ApiError {
  constructor() {
    super('Draft does not exist', 'BAD_REQUEST', { status: 404 })
  }
}

export async function createDrafts(tx: Tx, { id }: Caller, drafts: CheckedDraft[]): Promise<number[]> {
  const objects = []
  for (const draft of drafts) {
    const row = await tx.db
      .insertInto('drafts')
      .values({ realm_id: tx.realmId, user_id: id, ...draft })
      .returning(draftColumns)
      .executeTakeFirstOrThrow()
    objects.push(draftObject(row))
  }
  await checkStorageLimit(tx, id, 'drafts')
  if (objects.length > 0) tx.emit({ type: 'drafts', op: 'add', drafts: objects }, { users: [id] })
  return objects.map((draft) => draft.id)
}

export async function editDraft(tx: Tx, { id }: Caller, draftId: number, draft: CheckedDraft): Promise<void> {
  const row = await tx.db
    .updateTable('drafts')
    .set(draft)
    .where(matches({ realm_id: tx.realmId, user_id: id, id: draftId }))
    .returning(draftColumns)
    .executeTakeFirst()
  if (!row) throw new NoSuchDraft()
  tx.emit({ type: 'drafts', op: 'update', draft: draftObject(row) }, { users: [id] })
}

export async function deleteDraft(tx: Tx, { id }: Caller, draftId: number): Promise<void> {
  const deleted = await tx.db
    .deleteFrom('drafts')
    .where(matches({ realm_id: tx.realmId, user_id: id, id: draftId }))
    .returning('id')
    .executeTakeFirst()
  if (!deleted) throw new NoSuchDraft()
  tx.emit({ type: 'drafts', op: 'remove', draft_id: deleted.id }, { users: [id] })
}

/** For users who turn off synchronization. Emits no event, because clients keep their local drafts. */
export async function deleteDraftsOf(tx: Tx, { id }: Caller): Promise<void> {
  await tx.db.deleteFrom('drafts').where('realm_id', '=', tx.realmId).where('user_id', '=', id).execute()
}
