import type { Snapshot } from '../snapshot.ts'
import { readDrafts } from './queries.ts'

const mostDrafts = 1000

export async function draftState({ db, caller }: Snapshot): Promise<object> {
  if (!caller.settings.enable_drafts_synchronization) return { drafts: [] }
  return { drafts: await readDrafts(db, caller, mostDrafts) }
}
