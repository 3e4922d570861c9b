import { shownEmoji } from '../../organization/emoji/reaction-types.ts'
import type { Snapshot } from '../../snapshot.ts'
import { readStatuses } from './queries.ts'

export async function statusState({ db, caller, isZulipClient }: Snapshot): Promise<object> {
  const statuses = await readStatuses(db, caller)
  return { user_status: Object.fromEntries(statuses.map(([id, status]) => [id, shownEmoji(status, isZulipClient)])) }
}
