import type { Snapshot } from '../../snapshot.ts'
import { readFolders } from './queries.ts'

export async function folderState({ db, caller }: Snapshot): Promise<object> {
  return { channel_folders: await readFolders(db, caller.realm_id) }
}
