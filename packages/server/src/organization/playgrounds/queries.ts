import type { PlaygroundObject } from '@parley/api/organization/linkifiers'
import type { Db } from '../../platform/db/pool.ts'

export async function listPlaygrounds(db: Db, realmId: number): Promise<PlaygroundObject[]> {
  return db
    .selectFrom('playgrounds')
    .select(['id', 'name', 'pygments_language', 'url_template'])
    .where('realm_id', '=', realmId)
    .orderBy('id')
    .execute()
}
