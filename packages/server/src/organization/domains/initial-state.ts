import type { Snapshot } from '../../snapshot.ts'
import { listDomains } from './queries.ts'

export async function domainState({ db, caller }: Snapshot): Promise<object> {
  return { realm_domains: await listDomains(db, caller.realm_id) }
}
