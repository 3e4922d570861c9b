import type { Snapshot } from '../../snapshot.ts'
import { readOwnAlertWords } from './queries.ts'

export async function alertWordState({ db, caller }: Snapshot): Promise<object> {
  return { alert_words: await readOwnAlertWords(db, caller) }
}
