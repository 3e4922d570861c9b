import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import { sendNotices } from '../../conversations/messages/send/notices.ts'
import type { Tx } from '../../events/transact.ts'
import { findUsers } from '../../people/users/find-users.ts'
import { matches } from '../../platform/db/matches.ts'
import { maybeOne } from '../../platform/db/query.ts'
import { emitBotAccountUpdate } from '../bots/events.ts'

/** An endpoint that has failed for as long gets no more requests about events until its owner resumes it. */
const patienceDays = 3

/** The endpoint works again: what waits for a retry is due now. */
export async function recordSuccess(tx: Tx, bot_id: number): Promise<void> {
  const own = matches({ realm_id: tx.realmId, bot_id })
  const { numUpdatedRows } = await tx.db
    .updateTable('webhook_cursors')
    .set({ failing_since: null })
    .where(own)
    .where('failing_since', 'is not', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return
  await tx.db
    .updateTable('webhook_deliveries')
    .set({ due_at: sql`now()` })
    .where(own)
    .where('status', '=', 'waiting')
    .where('event_seq', 'is not', null)
    .execute()
}

export async function recordFailure(tx: Tx, ctx: Pick<Context, 'renderer'>, bot: Caller): Promise<void> {
  const cursor = await maybeOne<{ is_long: boolean }>(tx.db)`
    update webhook_cursors set failing_since = coalesce(failing_since, now())
     where realm_id = ${tx.realmId} and bot_id = ${bot.id}
    returning failing_since < now() - make_interval(days => ${patienceDays}) as is_long`
  if (cursor?.is_long && (await pause(tx, bot.id))) await reportPause(tx, ctx, bot)
}

/** Returns false if it is paused already. */
async function pause(tx: Tx, botId: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('bot_services')
    .set({ paused_at: sql`now()` })
    .where(matches({ realm_id: tx.realmId, bot_id: botId, paused_at: null }))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

async function reportPause(tx: Tx, ctx: Pick<Context, 'renderer'>, bot: Caller): Promise<void> {
  await emitBotAccountUpdate(tx, bot.realm, bot.id, ['services'])
  const [sender] = await findUsers(tx.db, bot.state, [bot.id])
  const [owner] = bot.bot_owner_id === null ? [] : await findUsers(tx.db, bot.state, [bot.bot_owner_id])
  if (!sender || !owner?.is_active) return
  const participants = [sender, owner].sort((a, b) => a.id - b.id)
  const content = `The endpoint of this bot has failed for ${patienceDays} days, so it no longer gets events. Choose Resume in Settings → Bots when it works again.`
  await sendNotices(tx, ctx, bot.realm, [{ sender, destination: { kind: 'direct', participants }, content }])
}
