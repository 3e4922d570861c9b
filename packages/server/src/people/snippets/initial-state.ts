import type { Snapshot } from '../../snapshot.ts'
import { readSnippets } from './queries.ts'

export async function snippetState({ db, caller }: Snapshot): Promise<object> {
  return { saved_snippets: await readSnippets(db, caller) }
}
