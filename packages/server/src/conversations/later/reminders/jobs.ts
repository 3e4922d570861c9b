import type { Rendered } from '@parley/markdown/render'
import { type Caller, loadCaller } from '../../../callers/caller.ts'
import { type Commits, type Context, transactIn } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import { findUser } from '../../../people/users/find-users.ts'
import { findSystemBot } from '../../../people/users/system-bots.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Job } from '../../../platform/jobs/tasks.ts'
import { accessibleMessages } from '../../messages/model/access.ts'
import { renderAs } from '../../messages/send/compose.ts'
import { sendNotices } from '../../messages/send/notices.ts'
import { markReminderFailed, removeReminder } from './actions.ts'
import { type ReminderRow, reminderColumns } from './queries.ts'
import { reminderText } from './reminder-text.ts'

type Deps = Commits & Pick<Context, 'realms' | 'renderer'>

/** Sends a due reminder to who asked for it, however late it is. */
export async function deliverReminder(ctx: Deps, { realm_id, reminder_id }: Job<'deliver_reminder'>): Promise<void> {
  const due = await findDue(ctx, realm_id, reminder_id)
  if (!due) return
  const state = await ctx.realms.get(realm_id)
  const reader = await loadCaller(ctx.db, state, due.user_id)
  const canReceive = reader?.is_active && !state.realm.deactivated
  const text = canReceive ? await textOf(ctx, reader, due) : undefined
  await transactIn(ctx, realm_id, async (tx) => {
    if (!(await lockDue(tx, reminder_id))) return
    if (!text) return markReminderFailed(tx, due)
    await removeReminder(tx, due)
    await send(tx, ctx, reader!, text)
  })
}

/** With the message as it is now; as it was, if it is gone or can no longer be read. */
async function textOf(ctx: Deps, reader: Caller, due: ReminderRow): Promise<{ content: string; rendered: Rendered }> {
  const [message] = await accessibleMessages(ctx.db, reader, [due.message_id])
  const content = message ? await reminderText(ctx.db, reader, message, due.note) : due.content
  return { content, rendered: await renderAs(ctx, reader, content) }
}

async function send(tx: Tx, ctx: Deps, reader: Caller, text: { content: string; rendered: Rendered }): Promise<void> {
  const sender = await findSystemBot(tx.db, reader.realm, 'notification')
  const recipient = (await findUser(tx.db, reader.state, reader.id))!
  const participants = [sender, recipient].sort((a, b) => a.id - b.id)
  await sendNotices(tx, ctx, reader.realm, [{ sender, destination: { kind: 'direct', participants }, ...text }])
}

function dueReminders(realmId: number, id: number) {
  return { where: matches({ realm_id: realmId, id, failed: false }), until: new Date() }
}

async function findDue({ db }: Deps, realmId: number, id: number): Promise<ReminderRow | undefined> {
  const { where, until } = dueReminders(realmId, id)
  return db
    .selectFrom('reminders')
    .select(reminderColumns)
    .where(where)
    .where('delivery_time', '<=', until)
    .executeTakeFirst()
}

/** Whether it still waits: another process may have sent it, or the user deleted it. */
async function lockDue(tx: Tx, id: number): Promise<boolean> {
  const { where, until } = dueReminders(tx.realmId, id)
  const query = tx.db.selectFrom('reminders').select('id').where(where).where('delivery_time', '<=', until)
  return (await query.forUpdate().executeTakeFirst()) !== undefined
}
