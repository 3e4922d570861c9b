import type { Snapshot } from '../../snapshot.ts'
import { listPlaygrounds } from './queries.ts'

export async function playgroundState({ db, caller }: Snapshot): Promise<object> {
  return { realm_playgrounds: await listPlaygrounds(db, caller.realm_id) }
}
