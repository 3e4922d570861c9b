import type { Db } from '../platform/db/pool.ts'
import type { Caller } from '../users/caller.ts'

export async function readOwnAlertWords(db: Db, { id, realm_id }: Pick<Caller, 'id' | 'realm_id'>): Promise<string[]> {
  const rows = await db
    .selectFrom('alert_words')
    .select('word')
    .where('realm_id', '=', realm_id)
    .where('user_id', '=', id)
    .orderBy('id')
    .execute()
  return rows.map(({ word }) => word)
}
