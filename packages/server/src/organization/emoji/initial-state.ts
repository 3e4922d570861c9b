import type { Snapshot } from '../../snapshot.ts'
import { readEmoji } from './queries.ts'

export async function emojiState({ db, caller }: Snapshot): Promise<object> {
  return { realm_emoji: await readEmoji(db, caller.realm_id) }
}
