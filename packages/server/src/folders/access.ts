import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import { ApiError } from '../platform/http/api-error.ts'

export class InvalidFolder extends ApiError {
  constructor() {
    super('Invalid channel folder ID')
  }
}

/** Throws unless channels can be put into the folder, which then is not archived before they are in it. */
export async function lockFolderRow(tx: Tx, id: number): Promise<void> {
  const { rows } = await sql`
    select 1 from channel_folders
     where realm_id = ${tx.realmId} and id = ${id} and not is_archived for key share`.execute(tx.db)
  if (rows.length === 0) throw new InvalidFolder()
}
