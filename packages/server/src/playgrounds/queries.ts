import type { PlaygroundObject } from '@parley/api/linkifiers'
import type { Db } from '../platform/db/pool.ts'
import { many } from '../platform/db/query.ts'

export async function listPlaygrounds(db: Db, realmId: number): Promise<PlaygroundObject[]> {
  return many<PlaygroundObject>(db)`
    select id, name, pygments_language, url_template from playgrounds where realm_id = ${realmId} order by id`
}
