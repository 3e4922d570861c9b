import type { Db } from '../../platform/db/pool.ts'

export function listDomains(db: Db, realmId: number): Promise<{ domain: string; allow_subdomains: boolean }[]> {
  return db
    .selectFrom('realm_domains')
    .select(['domain', 'allow_subdomains'])
    .where('realm_id', '=', realmId)
    .orderBy('id')
    .execute()
}
