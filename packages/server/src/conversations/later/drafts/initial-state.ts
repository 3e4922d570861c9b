import { storageLimits } from '@parley/api/limits'
import type { Snapshot } from '../../../snapshot.ts'
import { readDrafts } from './queries.ts'

export async function draftState({ db, caller }: Snapshot): Promise<object> {
  if (!caller.settings.enable_drafts_synchronization) return { drafts: [] }
  return { drafts: await readDrafts(db, caller, storageLimits.drafts) }
}
