import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'

interface Suspension {
  user_id: number
  until: number
  suspended_by: number
  suspended_at: number
}

export function readSuspensions(db: Db, realmId: number): Promise<Suspension[]> {
  return many<Suspension>(db)`
    select user_id, floor(extract(epoch from ends_at))::bigint as until, suspended_by,
           floor(extract(epoch from suspended_at))::bigint as suspended_at
      from suspensions where realm_id = ${realmId} order by ends_at, user_id`
}

/** Also changes the end of a suspension. */
export async function storeSuspension(tx: Tx, user_id: number, suspended_by: number, ends_at: Date): Promise<void> {
  await tx.db
    .insertInto('suspensions')
    .values({ realm_id: tx.realmId, user_id, suspended_by, ends_at })
    .onConflict((conflict) =>
      conflict.columns(['realm_id', 'user_id']).doUpdateSet({ suspended_by, ends_at, suspended_at: sql`now()` }),
    )
    .execute()
}

/** Whether there was one. What remains is an account that is active, or deactivated for good. */
export async function forgetSuspension(tx: Tx, user_id: number): Promise<boolean> {
  const own = matches({ realm_id: tx.realmId, user_id })
  return (await tx.db.deleteFrom('suspensions').where(own).returning('user_id').execute()).length > 0
}

export async function isSuspended(tx: Tx, user_id: number): Promise<boolean> {
  const own = matches({ realm_id: tx.realmId, user_id })
  return (await tx.db.selectFrom('suspensions').select('user_id').where(own).executeTakeFirst()) !== undefined
}
