import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, transactIn } from '../../../context.ts'
import { isConflict, isConnectionError } from '../../../platform/db/db-errors.ts'
import { many } from '../../../platform/db/query.ts'
import { OutcomeUnknown } from '../../../platform/http/api-error.ts'
import type { EditDeps } from '../edit/edit.ts'
import { movePart } from './move-parts.ts'

/** How long a part should take. Others who change the messages wait this long. */
const partMilliseconds = 200
/** Not smaller: most of a small part is overhead. */
const sizes = { first: 100, min: 100, max: 1000 }
const pauseMilliseconds = 20
/** Failures in a row after which the job `resume_moves` takes over. */
const maxFailures = 5
const failureMilliseconds = 200
/** Requests are answered after this long, before clients give up. The move continues. */
const patienceMilliseconds = 25_000

/** Does a large move. Returns false if it takes so long that it continues in the background. */
export async function doLargeMove(ctx: Context, deps: EditDeps, realmId: number, id: number): Promise<boolean> {
  // It completes even if the request that started it does not.
  const moving = continueMove({ ...ctx, claim: undefined }, deps, realmId, id).then(() => true)
  const isDone = await Promise.race([moving, sleep(patienceMilliseconds, false, { ref: false })])
  if (!isDone) moving.catch((error: unknown) => ctx.log.warn({ err: error }, 'a large move was interrupted'))
  return isDone
}

/** Moves part after part. Pauses after each, so that others who wait for the same messages get their turn. */
async function continueMove(ctx: Context, deps: EditDeps, realmId: number, id: number): Promise<void> {
  let size = sizes.first
  for (let failures = 0; ; ) {
    try {
      const part = await transactIn(ctx, realmId, (tx) => movePart(tx, deps, id, size))
      if (part.isComplete) return
      size = nextSize(size, part.milliseconds)
      failures = 0
      await sleep(Math.max(pauseMilliseconds, part.milliseconds / 4))
    } catch (error) {
      if (!isTemporary(error) || ++failures > maxFailures) throw error
      size = Math.ceil(size / 2)
      await sleep(failures * failureMilliseconds)
    }
  }
}

/** A part that was committed although its outcome is unknown is not moved again, because the move's row says so. */
function isTemporary(error: unknown): boolean {
  return isConflict(error) || isConnectionError(error) || error instanceof OutcomeUnknown
}

/** Changes by at most half or twice, because a busy machine makes single parts slow. */
function nextSize(size: number, milliseconds: number): number {
  const factor = Math.min(2, Math.max(0.5, partMilliseconds / milliseconds))
  return Math.min(sizes.max, Math.max(sizes.min, Math.round(size * factor)))
}

/** Continues moves whose process died. */
export async function resumeMoves(ctx: Context, deps: EditDeps): Promise<void> {
  const abandoned = await many<{ realm_id: number; id: number }>(ctx.db)`
    select realm_id, id from message_moves where touched_at < clock_timestamp() - interval '15 seconds' order by touched_at`
  for (const { realm_id, id } of abandoned)
    await continueMove(ctx, deps, realm_id, id).catch((error: unknown) =>
      ctx.log.error({ err: error, move: id }, 'a large move could not be continued'),
    )
}
