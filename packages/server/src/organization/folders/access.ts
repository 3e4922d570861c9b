import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { ApiError } from '../../platform/http/api-error.ts'

export class InvalidFolder extends ApiError {
  constructor() {
    super('Invalid channel folder ID')
  }
}

/** Throws unless the folder accepts channels. Locks it, so that it is not archived before the channel is in it. */
export async function lockFolderRow(tx: Tx, id: number): Promise<void> {
  const active = matches({ realm_id: tx.realmId, id, is_archived: false })
  const found = await tx.db.selectFrom('channel_folders').select('id').where(active).forKeyShare().executeTakeFirst()
  if (!found) throw new InvalidFolder()
}
