import type { Tx } from '../events/transact.ts'
import { exists } from '../platform/db/query.ts'
import { ApiError } from '../platform/http/api-error.ts'

export class InvalidFolder extends ApiError {
  constructor() {
    super('Invalid channel folder ID')
  }
}

/** Throws unless the folder accepts channels. Locks it, so that it is not archived before the channel is in it. */
export async function lockFolderRow(tx: Tx, id: number): Promise<void> {
  const found = await exists(tx.db)`
    select 1 from channel_folders
     where realm_id = ${tx.realmId} and id = ${id} and not is_archived for key share`
  if (!found) throw new InvalidFolder()
}
