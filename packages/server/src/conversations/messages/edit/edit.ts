import type * as api from '@parley/api/conversations/editing'
import type { ResponseOf } from '@parley/api/operation'
import type { Caller } from '../../../callers/caller.ts'
import type { Context } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import { allDone } from '../../../platform/db/pipelined.ts'
import { isLarge, storeMove } from '../move/large-moves.ts'
import { planMove } from '../move/move.ts'
import { type MoveDeps, moveAndEmit } from '../move/move-and-emit.ts'
import { sendMoveNotices } from '../move/move-notices.ts'
import { type Change, checkEdit, type EditParams } from './checks.ts'
import { accessMentioned, changeContent, planPreviews } from './content.ts'
import { lockMessage } from './lock-for-edit.ts'
import { emitUpdateMessage, type NewContent, readEventAudience } from './update-event.ts'
import { changeUploads } from './uploads.ts'

export interface EditDeps extends MoveDeps, Pick<Context, 'renderer'> {}

export interface EditResult {
  response: ResponseOf<typeof api.editMessage>
  /** A large move that was only stored, to be continued in parts. */
  moveId?: number
}

/** Edits the content of a message, moves it (with other messages of its topic, depending on the mode), or both. */
export async function editMessage(
  tx: Tx,
  deps: EditDeps,
  caller: Caller,
  id: number,
  params: EditParams,
  rendered: NewContent | undefined,
): Promise<EditResult> {
  const moves = params.topic !== undefined || params.stream_id !== undefined
  const editing = await lockMessage(tx, caller, id, { moves, target: params.stream_id })
  const change = await checkEdit(tx.db, caller, editing, params)
  const draft = rendered?.content === editing.message.content ? undefined : rendered
  if (!draft && !isMove(change)) return { response: { detached_uploads: [] } }
  const mentioned = draft && (await accessMentioned(tx, caller, editing, draft))
  const { edit } = editing
  const [detached_uploads = []] = draft
    ? await allDone([
        changeUploads(tx, caller, editing.message, draft.rendered),
        changeContent(tx, editing, draft, mentioned!),
        planPreviews(tx, caller, id, draft),
      ] as const)
    : []
  const response = { detached_uploads }
  const planned = isMove(change) ? await planMove(tx, caller, editing, change, params.propagate_mode, edit) : undefined
  const edited = { realm: caller.realm, editing, edit, draft }
  if (planned && !(await isLarge(tx, planned))) {
    const move = await moveAndEmit(tx, deps, caller, planned, edited)
    await sendMoveNotices(tx, deps, caller, move, { ...params, changesContent: draft !== undefined })
    return { response }
  }
  if (draft) emitUpdateMessage(tx, edited, await readEventAudience(tx, editing, undefined))
  return planned ? { response, moveId: await storeMove(tx, caller, planned, params) } : { response }
}

function isMove({ topic, channel }: Change): boolean {
  return topic !== undefined || channel !== undefined
}
