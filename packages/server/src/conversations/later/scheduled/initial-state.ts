import type { Snapshot } from '../../../snapshot.ts'
import { readScheduled } from './queries.ts'

export async function scheduledState({ db, caller }: Snapshot): Promise<object> {
  return { scheduled_messages: await readScheduled(db, caller) }
}
