import { loadCaller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { lockRow } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { many } from '../../platform/db/query.ts'
import { emitStatus, noEmoji } from './actions.ts'

const atOnce = 1000

/** Ends the statuses whose time is over. What is left of many ends a minute later. */
export async function endStatuses(ctx: Context): Promise<void> {
  const due = await many<{ realm_id: number; user_id: number }>(ctx.db)`
    select realm_id, user_id from user_statuses where scheduled_end_time <= extract(epoch from now())
     order by realm_id, user_id limit ${atOnce}`
  for (const { realm_id, user_id } of due) await transactIn(ctx, realm_id, (tx) => endStatus(tx, ctx, user_id))
}

async function endStatus(tx: Tx, { realms }: Pick<Context, 'realms'>, userId: number): Promise<void> {
  await lockRow(tx, 'users', userId)
  const ended = await many<{ user_id: number }>(tx.db)`
    delete from user_statuses where realm_id = ${tx.realmId} and user_id = ${userId}
       and scheduled_end_time <= extract(epoch from now()) returning user_id`
  const caller = ended.length > 0 && (await loadCaller(tx.db, await realms.get(tx.realmId), userId))
  if (caller) await emitStatus(tx, caller, { status_text: '', ...noEmoji, scheduled_end_time: null })
}
