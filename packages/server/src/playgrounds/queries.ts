import type { PlaygroundObject } from '@parley/api/linkifiers'
import { sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'

export async function listPlaygrounds(db: Db, realmId: number): Promise<PlaygroundObject[]> {
  const { rows } = await sql<PlaygroundObject>`
    select id, name, pygments_language, url_template from playgrounds where realm_id = ${realmId} order by id`.execute(
    db,
  )
  return rows
}
