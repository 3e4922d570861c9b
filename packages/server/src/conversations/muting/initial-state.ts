import type { Snapshot } from '../../snapshot.ts'
import { readMutedUsers } from './queries.ts'

export async function mutedUserState({ db, caller }: Snapshot): Promise<object> {
  return { muted_users: await readMutedUsers(db, caller) }
}
