import type { Snapshot } from '../../snapshot.ts'
import { listLinkifiers } from './queries.ts'

/** Clients without support for URL templates get no linkifiers. */
export async function linkifierState({ db, caller, capabilities }: Snapshot): Promise<object> {
  return { realm_linkifiers: capabilities.linkifier_url_template ? await listLinkifiers(db, caller.realm_id) : [] }
}
