import type { Tx } from '../events/transact.ts'

/** Ends every queue of these people: whoever waits is answered at once, and nothing later reaches them. */
export async function endQueuesOf(tx: Tx, userIds: number[]): Promise<void> {
  const gone = await tx.db
    .deleteFrom('queues')
    .where('realm_id', '=', tx.realmId)
    .where('user_id', 'in', userIds)
    .returning('id')
    .execute()
  if (gone.length > 0) tx.emitInternal({ ended_queues: gone.map(({ id }) => id) })
}
