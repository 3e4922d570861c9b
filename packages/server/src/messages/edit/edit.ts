import type * as api from '@parley/api/editing'
import type { ResponseOf } from '@parley/api/operation'
import type { Context } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { one } from '../../platform/db/query.ts'
import type { Caller } from '../../users/caller.ts'
import type { Entry } from '../model/edit-history.ts'
import { emitFirstMessageId } from '../model/first-message.ts'
import type { PolicyChange } from '../model/topic-policy.ts'
import { type Change, checkEdit, type EditParams } from './checks.ts'
import { accessMentioned, changeContent } from './content.ts'
import { lockMessage } from './lock-for-edit.ts'
import { finishMove, startMove } from './move.ts'
import { sendMoveNotices } from './move-notices.ts'
import { movePolicies } from './move-policies.ts'
import type { Move } from './move-result.ts'
import { emitUpdateMessage, type NewContent, readEventAudience } from './update-event.ts'
import { changeUploads } from './uploads.ts'

export interface EditDeps extends Pick<Context, 'renderer'> {
  /** Injected because messages may not import topics. A move emits these events between its own. */
  emitPolicies(tx: Tx, changes: PolicyChange[]): Promise<void>
}

/** Edits the content of a message, moves it (with other messages of its topic, depending on the mode), or both. */
export async function editMessage(
  tx: Tx,
  deps: EditDeps,
  caller: Caller,
  id: number,
  params: EditParams,
  rendered: NewContent | undefined,
): Promise<ResponseOf<typeof api.editMessage>> {
  const moves = params.topic !== undefined || params.stream_id !== undefined
  const editing = await lockMessage(tx, caller, id, { moves, target: params.stream_id })
  const change = await checkEdit(tx.db, caller, editing, params)
  const draft = rendered?.content === editing.message.content ? undefined : rendered
  if (!draft && !isMove(change)) return { detached_uploads: [] }
  const mentioned = draft && (await accessMentioned(tx, caller, editing, draft))
  const edit = await nextEdit(tx, caller)
  if (draft) await changeContent(tx, editing, draft, mentioned!, edit)
  const detached_uploads = draft ? await changeUploads(tx, caller, id, draft.rendered) : []
  const pending = isMove(change) ? await startMove(tx, caller, editing, change, params.propagate_mode, edit) : undefined
  const audience = await readEventAudience(tx, editing, pending?.audience?.recipients)
  const move = pending && (await finishMove(tx, caller, editing, pending))
  if (move) {
    emitAccessLosses(tx, move)
    await deps.emitPolicies(tx, await movePolicies(tx, move))
  }
  emitUpdateMessage(tx, { realm: caller.realm, editing, edit, draft, move }, audience)
  if (move) {
    for (const { channel, first } of move.firsts) await emitFirstMessageId(tx, channel, first)
    await sendMoveNotices(tx, deps, caller, move, { ...params, changesContent: draft !== undefined })
  }
  return { detached_uploads }
}

function isMove({ topic, channel }: Change): boolean {
  return topic !== undefined || channel !== undefined
}

/** Call it with the message locked, so that later edits of the message get greater numbers. */
async function nextEdit(tx: Tx, { id }: Caller): Promise<Pick<Entry, 'number' | 'user_id' | 'timestamp'>> {
  const row = await one<{ number: number; timestamp: number }>(tx.db)`
    select nextval('edit_numbers') as number, floor(extract(epoch from clock_timestamp()))::bigint as timestamp`
  return { ...row, user_id: id }
}

/** Users who lose access receive a `delete_message` event. */
function emitAccessLosses(tx: Tx, { from: { channel, topic }, audience }: Move): void {
  for (const { users, ids: message_ids } of audience?.losses ?? [])
    tx.emit(
      { type: 'delete_message', message_type: 'stream', message_ids, stream_id: channel.id, topic: topic.name },
      { users },
    )
}
