import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'

/** Whether a row of `users` must prove a second factor after the password. Part of the query that finds the account. */
export const hasSecondFactor = sql<boolean>`
  exists (select 1 from totp_factors f where f.realm_id = users.realm_id and f.user_id = users.id)
  or exists (select 1 from passkeys p where p.realm_id = users.realm_id and p.user_id = users.id)`

export interface OwnFactors {
  totp_added_at: Date | null
  recovery_codes: number
  passkeys: number
}

export function readFactors(db: Db, realmId: number, userId: number): Promise<OwnFactors> {
  return one<OwnFactors>(db)`
    select (select created_at from totp_factors where realm_id = ${realmId} and user_id = ${userId}) as totp_added_at,
           (select count(*)::integer from recovery_codes where realm_id = ${realmId} and user_id = ${userId}) as recovery_codes,
           (select count(*)::integer from passkeys where realm_id = ${realmId} and user_id = ${userId}) as passkeys`
}

export function toApi({ totp_added_at, ...rest }: OwnFactors) {
  return { ...rest, totp_added_at: totp_added_at && Math.floor(totp_added_at.getTime() / 1000) }
}
