import { sql } from 'kysely'
import { type Caller, loadCaller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { accessChannel } from '../channels/access.ts'
import { checkPosting } from '../channels/posting-access.ts'
import { normalizeTopic } from '../messages/model/normalize-text.ts'
import { accessDestination, accessUsers } from '../messages/send/destination.ts'

interface Place {
  stream_id?: number
  topic?: string
}

/**
 * Asks a bot, or the agents of a user, to stop. Bots receive an event; an agent with a token of its own has no event queue and
 * reads it with its next call. Who may write in a conversation may ask, because they could ask in a message, too.
 */
export async function stopWork(tx: Tx, caller: Caller, userId: number, { stream_id, topic }: Place): Promise<void> {
  const [target] = await accessUsers(tx.db, caller, [userId])
  const worker = await loadCaller(tx.db, caller.state, target!.id)
  if (!worker?.is_active) throw new ApiError('Invalid user ID')
  if (stream_id === undefined) await accessDestination(tx.db, caller, { type: 'direct', to: [userId] })
  else {
    await checkPosting(tx.db, caller, await accessChannel(tx.db, caller, stream_id))
    // One who cannot see the channel would learn its id, and cannot work there.
    await accessChannel(tx.db, worker, stream_id)
  }
  const place = stream_id === undefined ? {} : { stream_id, topic: normalizeTopic(topic ?? '') }
  await sql`
    update credentials set agent_stop = ${JSON.stringify({ ...place, name: caller.full_name, at: Date.now() })}::jsonb
     where realm_id = ${tx.realmId} and user_id = ${worker.id} and agent is not null
       and (agent -> 'channel_ids' = 'null' or agent -> 'channel_ids' @> ${JSON.stringify(stream_id ?? 0)}::jsonb)`.execute(
    tx.db,
  )
  tx.emit({ type: 'agent_stop', user_id: caller.id, ...place }, { users: [worker.id] })
}
