import type { Snapshot } from '../../../snapshot.ts'
import { readReminders } from './queries.ts'

export async function reminderState({ db, caller }: Snapshot): Promise<object> {
  return { reminders: await readReminders(db, caller) }
}
