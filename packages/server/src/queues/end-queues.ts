import type { Tx } from '../events/transact.ts'
import { column } from '../platform/db/query.ts'

/**
 * Deletes all queues of these users, except those of the given session. Waiting clients are answered immediately and
 * receive no later events.
 */
export async function endQueuesOf(tx: Tx, userIds: number[], exceptSession = 0): Promise<void> {
  const deleted = await tx.db
    .deleteFrom('queues')
    .where('realm_id', '=', tx.realmId)
    .where('user_id', 'in', userIds)
    .where((is) => is.or([is('credential_id', 'is', null), is('credential_id', '!=', exceptSession)]))
    .returning('id')
    .execute()
  if (deleted.length > 0) tx.emitInternal({ ended_queues: deleted.map(({ id }) => id) })
}

/** Deletes the queues whose clients have not polled in the current epoch of the log. */
export async function endQueuesOfOldEpochs(tx: Tx): Promise<void> {
  const ids = await column<string>(tx.db)`
    delete from queues q using realm_counters c
     where q.realm_id = ${tx.realmId} and c.realm_id = q.realm_id and q.epoch is distinct from c.epoch
    returning q.id`
  if (ids.length > 0) tx.emitInternal({ ended_queues: ids })
}
