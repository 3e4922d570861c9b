import type { LinkifierObject } from '@parley/api/organization/linkifiers'
import type { Db } from '../../platform/db/pool.ts'

/** The organization's linkifiers, in order. */
export async function listLinkifiers(db: Db, realmId: number): Promise<LinkifierObject[]> {
  return db
    .selectFrom('linkifiers')
    .select(['id', 'pattern', 'url_template', 'example_input'])
    .where('realm_id', '=', realmId)
    .orderBy('place')
    .orderBy('id')
    .execute()
}
