import { matches } from '../platform/db/matches.ts'
import { column, columnOf } from '../platform/db/query.ts'
import type { Tx } from './transact.ts'

/**
 * Deletes all queues of these users, except those of the given session. Waiting clients are answered immediately and
 * receive no later events.
 */
export async function endQueuesOf(tx: Tx, userIds: number[], exceptSession = 0): Promise<void> {
  const queues = tx.db
    .deleteFrom('queues')
    .where(matches({ realm_id: tx.realmId, user_id: userIds }))
    .where('credential_id', 'is distinct from', exceptSession)
  const ended_queues = await columnOf(queues.returning('id'))
  if (ended_queues.length > 0) tx.emitInternal({ ended_queues })
}

/** Deletes the queues whose clients have not polled in the current epoch of the log. */
export async function endQueuesOfOldEpochs(tx: Tx): Promise<void> {
  const ids = await column<string>(tx.db)`
    delete from queues q using realm_counters c
     where q.realm_id = ${tx.realmId} and c.realm_id = q.realm_id and q.epoch is distinct from c.epoch
    returning q.id`
  if (ids.length > 0) tx.emitInternal({ ended_queues: ids })
}
