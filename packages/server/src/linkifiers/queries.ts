import type { LinkifierObject } from '@parley/api/linkifiers'
import type { Db } from '../platform/db/pool.ts'
import { many } from '../platform/db/query.ts'

/** The organization's linkifiers, in order. */
export async function listLinkifiers(db: Db, realmId: number): Promise<LinkifierObject[]> {
  return many<LinkifierObject>(db)`
    select id, pattern, url_template, example_input from linkifiers
     where realm_id = ${realmId} order by place, id`
}
