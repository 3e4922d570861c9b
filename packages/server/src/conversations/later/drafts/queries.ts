import type { DraftObject } from '@parley/api/conversations/drafts'
import type { Caller } from '../../../callers/caller.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { unixSeconds } from '../../../platform/text.ts'

export const draftColumns = ['id', 'type', 'recipients', 'topic', 'content', 'last_edited'] as const

interface DraftRow {
  id: number
  type: string
  recipients: number[]
  topic: string
  content: string
  last_edited: Date
}

export function draftObject({ id, type, recipients, topic, content, last_edited }: DraftRow): DraftObject {
  const timestamp = unixSeconds(last_edited)
  return { id, type: type as DraftObject['type'], to: recipients, topic, content, timestamp }
}

/** Drafts in order of their last edit, oldest first. With a limit: the newest ones, newest first. */
export async function readDrafts(db: Db, { realm_id, id }: Caller, limit?: number): Promise<DraftObject[]> {
  const drafts = db.selectFrom('drafts').select(draftColumns).where('realm_id', '=', realm_id).where('user_id', '=', id)
  const ordered =
    limit === undefined
      ? drafts.orderBy('last_edited').orderBy('id')
      : drafts.orderBy('last_edited', 'desc').orderBy('id', 'desc').limit(limit)
  return (await ordered.execute()).map(draftObject)
}
