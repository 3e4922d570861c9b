import { loadCaller } from '../../../callers/caller.ts'
import { loadState } from '../../../callers/realm-state.ts'
import { type Commits, type Context, transactIn } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import { findUsers } from '../../../people/users/find-users.ts'
import { findSystemBot } from '../../../people/users/system-bots.ts'
import { matches } from '../../../platform/db/matches.ts'
import { QueueFull } from '../../../platform/fair-queue.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { Job } from '../../../platform/jobs/tasks.ts'
import { sendNotices } from '../../messages/send/notices.ts'
import { type Sent, sendIn } from '../../messages/send/send.ts'
import { policyAfterSending } from '../../topics/automatic-policies.ts'
import { requestOf } from './access.ts'
import { editScheduled, recordDelivery, removeScheduled } from './actions.ts'
import { type ScheduledRow, scheduledColumns } from './queries.ts'

type DeliveryDeps = Commits & Pick<Context, 'realms' | 'renderer' | 'committer'>

/** Later than this, the message is not sent: its author no longer expects it. */
const maxLateMinutes = 10

type Delivery = Job<'deliver_scheduled_message'>

/** Sends a due message with the author's current permissions. If that fails, notifies the author. */
export async function deliverScheduled(ctx: DeliveryDeps, { realm_id, scheduled_message_id }: Delivery): Promise<void> {
  try {
    const sent = await transactIn(ctx, realm_id, (tx) => deliver(tx, ctx, scheduled_message_id))
    const author = sent && (await loadCaller(ctx.db, await ctx.realms.get(realm_id), sent.user_id))
    if (author) await policyAfterSending(ctx, author, sent)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error instanceof QueueFull) throw error
    await transactIn(ctx, realm_id, (tx) => markFailed(tx, ctx, scheduled_message_id, error.message))
  }
}

async function deliver(tx: Tx, ctx: DeliveryDeps, id: number): Promise<(Sent & { user_id: number }) | undefined> {
  const row = await lockDue(tx, id)
  if (!row) return undefined
  if (Date.now() - row.delivery_time.getTime() > maxLateMinutes * 60_000)
    throw new ApiError('Message could not be sent at the scheduled time.')
  if ((await loadState(tx.db, tx.realmId)).realm.deactivated)
    throw new ApiError('This organization was deactivated at the scheduled time.')
  const sender = { id: row.user_id, realm_id: tx.realmId }
  const sent = await sendIn(tx, ctx, sender, requestOf(row))
  await removeScheduled(tx, row)
  await recordDelivery(tx, row)
  return { ...sent, user_id: row.user_id }
}

/** The scheduled message, locked, if it is due and has neither been sent nor failed. */
async function lockDue(tx: Tx, id: number): Promise<ScheduledRow | undefined> {
  return tx.db
    .selectFrom('scheduled_messages')
    .select(scheduledColumns)
    .where(matches({ realm_id: tx.realmId, id, failed: false }))
    .where('delivery_time', '<=', new Date())
    .forUpdate()
    .executeTakeFirst()
}

async function markFailed(tx: Tx, ctx: DeliveryDeps, id: number, reason: string): Promise<void> {
  const row = await lockDue(tx, id)
  if (!row) return
  await editScheduled(tx, id, { failed: true })
  const state = await loadState(tx.db, tx.realmId)
  const [author] = await findUsers(tx.db, state, [row.user_id])
  if (!author?.is_active) return
  const sender = await findSystemBot(tx.db, state.realm, 'notification')
  const content = `The message you scheduled could not be sent: ${reason}\n\`\`\`quote\n${row.content}\n\`\`\``
  const participants = [sender, author].sort((a, b) => a.id - b.id)
  await sendNotices(tx, ctx, state.realm, [{ sender, destination: { kind: 'direct', participants }, content }])
}
