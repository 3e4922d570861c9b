import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import { ApiError } from '../platform/http/api-error.ts'

export class InvalidFolder extends ApiError {
  constructor() {
    super('Invalid channel folder ID')
  }
}

/** Throws unless the folder accepts channels. Locks it, so that it is not archived before the channel is in it. */
export async function lockFolderRow(tx: Tx, id: number): Promise<void> {
  const { rows } = await sql`
    select 1 from channel_folders
     where realm_id = ${tx.realmId} and id = ${id} and not is_archived for key share`.execute(tx.db)
  if (rows.length === 0) throw new InvalidFolder()
}
