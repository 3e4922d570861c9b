import type { Snapshot } from '../../snapshot.ts'
import { sharedPresences } from './known-presences.ts'
import { legacyPresences, modernPresences, readPresences, serverTimestamp } from './queries.ts'

export async function presenceState(snapshot: Snapshot): Promise<object> {
  const { db, caller, presenceHistoryDays, slimPresence } = snapshot
  const shared = await sharedPresences(snapshot)
  const { rows, lastUpdateId } =
    shared ?? (await readPresences(db, caller, { historyDays: presenceHistoryDays, after: -1 }))
  return {
    presences: slimPresence ? (shared?.modern ?? (await modernPresences(rows))) : await legacyPresences(rows, caller),
    presence_last_update_id: lastUpdateId,
    server_timestamp: serverTimestamp(),
  }
}
