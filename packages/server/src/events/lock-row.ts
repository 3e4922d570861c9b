import { sql } from 'kysely'
import type { Tx } from './transact.ts'

type Lockable = 'users' | 'user_groups' | 'channels' | 'topics' | 'messages'
type Strength = 'update' | 'no key update' | 'key share'

/** Locks a row until the transaction ends. By default, transactions that change it or lock it in this way wait. */
export async function lockRow(
  tx: Tx,
  table: Lockable,
  id: number,
  strength: Strength = 'no key update',
): Promise<void> {
  await sql`
    select 1 from ${sql.table(table)}
     where realm_id = ${tx.realmId} and id = ${id} for ${sql.raw(strength)}`.execute(tx.db)
}

/** Locks the realm in the same way: for changes of its settings, and for limits and names within it. */
export async function lockRealm(tx: Tx): Promise<void> {
  await tx.db.selectFrom('realms').select('id').where('id', '=', tx.realmId).forNoKeyUpdate().execute()
}
