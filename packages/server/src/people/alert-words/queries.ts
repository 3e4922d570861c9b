import type { Caller } from '../../callers/caller.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'

export async function readOwnAlertWords(db: Db, { id, realm_id }: Pick<Caller, 'id' | 'realm_id'>): Promise<string[]> {
  const rows = await db
    .selectFrom('alert_words')
    .select('word')
    .where(matches({ realm_id, user_id: id }))
    .orderBy('id')
    .execute()
  return rows.map(({ word }) => word)
}
