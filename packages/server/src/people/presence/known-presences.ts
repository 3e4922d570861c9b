import { JsonText } from '../../platform/json-text.ts'
import type { Snapshot } from '../../snapshot.ts'
import { seesAllUsers } from '../users/visibility/visible-users.ts'
import { maxHistoryDays, modernRecord, type PresenceRow, type Presences, readPresences } from './queries.ts'

interface Known {
  row: PresenceRow
  /** The entry of the modern form. */
  text: string
}

/** The presences of all users of a realm. A registration reads only those that were updated since the one before it. */
class KnownPresences {
  readonly #known = new Map<number, Known>()
  #lastUpdateId = -1

  constructor(all: Presences) {
    this.update(all)
  }

  get lastUpdateId(): number {
    return this.#lastUpdateId
  }

  get size(): number {
    return this.#known.size * 400
  }

  /** Concurrent registrations may have read the same user in another order. */
  update({ rows, lastUpdateId }: Presences): void {
    this.#lastUpdateId = Math.max(this.#lastUpdateId, lastUpdateId)
    for (const row of rows)
      if ((this.#known.get(row.id)?.row.update_id ?? 0) <= row.update_id)
        this.#known.set(row.id, { row, text: `"${row.id}":${JSON.stringify(modernRecord(row))}` })
  }

  since(historyDays: number): Known[] {
    const oldest = Date.now() / 1000 - historyDays * 86_400
    return [...this.#known.values()].filter(({ row }) => row.connected > oldest)
  }
}

/** The presences for a registration, with the modern form serialized. Undefined if they cannot be shared with others. */
export async function sharedPresences(snapshot: Snapshot): Promise<(Presences & { modern: JsonText }) | undefined> {
  const { db, caller, presenceHistoryDays } = snapshot
  if (!seesAllUsers(caller)) return undefined
  const read = (after: number) => readPresences(db, caller, { historyDays: maxHistoryDays, after })
  const known = await snapshot.shared(
    'presences',
    async () => new KnownPresences(await read(-1)),
    ({ size }) => size,
  )
  const before = known.lastUpdateId
  const changed = await read(before)
  if (changed.lastUpdateId < before) return undefined // the other registration has a newer snapshot
  known.update(changed)
  const shown = known.since(presenceHistoryDays)
  return {
    rows: shown.map(({ row }) => row),
    lastUpdateId: shown.length > 0 ? changed.lastUpdateId : -1,
    modern: new JsonText(`{${shown.map(({ text }) => text).join()}}`),
  }
}
