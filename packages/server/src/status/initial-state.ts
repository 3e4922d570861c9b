import type { Snapshot } from '../snapshot.ts'
import { readStatuses } from './queries.ts'

export async function statusState({ db, caller }: Snapshot): Promise<object> {
  return { user_status: Object.fromEntries(await readStatuses(db, caller)) }
}
