import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import type { Snapshot } from '../../snapshot.ts'
import { topicKey } from '../messages/model/normalize-text.ts'

/** A topic, or a direct conversation. Shared by all snapshots that have the same names. */
export type ConversationName =
  | { channel_id: number; topic: string; key: string; user_ids: null }
  | { channel_id: null; topic: null; user_ids: number[] }

type PlaceRow = { id: number } & (
  | { channel_id: number; topic: string; user_ids: null }
  | { channel_id: null; topic: null; user_ids: number[] }
)

const placeBytes = 300

/** The places with these ids: those of topics, and the negated recipients of direct conversations. */
export async function readPlaces(
  { db, caller, sharedUntilRenamed }: Pick<Snapshot, 'db' | 'caller' | 'sharedUntilRenamed'>,
  ids: number[],
): Promise<Map<number, ConversationName>> {
  const known = sharedUntilRenamed<ConversationName>('places', placeBytes)
  const places = new Map<number, ConversationName>()
  const missing: number[] = []
  for (const id of ids) {
    const place = known.get(id)
    if (place) places.set(id, place)
    else missing.push(id)
  }
  if (missing.length === 0) return places
  const loaded = (await loadPlaces(db, caller.realm_id, missing)).map((row) => [row.id, nameOf(row)] as const)
  known.add(loaded)
  for (const [id, place] of loaded) places.set(id, place)
  return places
}

function nameOf({ id: _, ...row }: PlaceRow): ConversationName {
  return row.topic === null ? row : { ...row, key: topicKey(row.topic) }
}

async function loadPlaces(db: Db, realmId: number, ids: number[]): Promise<PlaceRow[]> {
  const topics = ids.filter((id) => id > 0)
  const recipients = ids.filter((id) => id < 0).map((id) => -id)
  return many<PlaceRow>(db)`
    select id, channel_id, name as topic, null::bigint[] as user_ids from topics
     where realm_id = ${realmId} and id = any(${topics}::bigint[])
    union all
    select -recipient_id, null, null, user_ids from direct_conversations
     where realm_id = ${realmId} and recipient_id = any(${recipients}::bigint[])`
}
