import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { type Edited, emitUpdateMessage, readEventAudience } from '../edit/update-event.ts'
import { emitFirstMessageId } from '../model/first-message.ts'
import type { PolicyChange } from '../model/topic-policy.ts'
import { finishMove, type PlannedMove, startMove } from './move.ts'
import { movePolicies } from './move-policies.ts'
import type { Move } from './move-result.ts'

export interface MoveDeps {
  /** Injected because messages may not import topics. A move emits these events between its own. */
  emitPolicies(tx: Tx, changes: PolicyChange[]): Promise<void>
}

/** Moves messages, or a part of them, and emits the events about it. */
export async function moveAndEmit(
  tx: Tx,
  deps: MoveDeps,
  caller: Caller,
  planned: PlannedMove,
  edited: Omit<Edited, 'move'>,
): Promise<Move> {
  const pending = await startMove(tx, edited.editing, planned)
  const audience = await readEventAudience(tx, edited.editing, pending.audience?.recipients)
  const move = await finishMove(tx, caller, pending)
  emitAccessLosses(tx, move)
  if (planned.isLast) await deps.emitPolicies(tx, await movePolicies(tx, move))
  emitUpdateMessage(tx, { ...edited, move }, audience)
  for (const { channel, first } of move.firsts) await emitFirstMessageId(tx, channel, first)
  return move
}

/** Users who lose access receive a `delete_message` event. */
function emitAccessLosses(tx: Tx, { from: { channel, topic }, audience }: Move): void {
  for (const { users, ids: message_ids } of audience?.losses ?? [])
    tx.emit(
      { type: 'delete_message', message_type: 'stream', message_ids, stream_id: channel.id, topic: topic.name },
      { users },
    )
}
