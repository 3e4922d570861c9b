import type { Snapshot } from '../snapshot.ts'
import { legacyPresences, modernPresences, readPresences, serverTimestamp } from './queries.ts'

export async function presenceState(snapshot: Snapshot): Promise<object> {
  const { db, caller, presenceHistoryDays, slimPresence } = snapshot
  const { rows, lastUpdateId } = await readPresences(db, caller, { historyDays: presenceHistoryDays, after: -1 })
  return {
    presences: await (slimPresence ? modernPresences(rows) : legacyPresences(rows, caller)),
    presence_last_update_id: lastUpdateId,
    server_timestamp: serverTimestamp(),
  }
}
