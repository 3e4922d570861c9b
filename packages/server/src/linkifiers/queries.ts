import type { LinkifierObject } from '@parley/api/linkifiers'
import { sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'

/** The organization's linkifiers, in order. */
export async function listLinkifiers(db: Db, realmId: number): Promise<LinkifierObject[]> {
  const { rows } = await sql<LinkifierObject>`
    select id, pattern, url_template, example_input from linkifiers
     where realm_id = ${realmId} order by place, id`.execute(db)
  return rows
}
