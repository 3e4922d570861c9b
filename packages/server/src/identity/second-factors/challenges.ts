import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import type { Database } from '../../platform/db/pool.ts'
import { hashKey } from '../../platform/secrets.ts'

/** Whether the challenge was not used before. Of two concurrent uses one succeeds. */
export async function spendChallenge(tx: Tx, challenge: string): Promise<boolean> {
  const spent = await tx.db
    .insertInto('used_challenges')
    .values({ challenge_hash: hashKey(challenge) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('used_at')
    .executeTakeFirst()
  return spent !== undefined
}

/** Deletes those whose challenge has expired long ago. */
export async function deleteOldChallenges(db: Database): Promise<void> {
  await sql`delete from used_challenges where used_at < now() - interval '1 day'`.execute(db)
}
