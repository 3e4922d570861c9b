import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/tasks.ts'
import { addCursors, planChannelEmails, planEmails, readBacklog } from './plan.ts'

type Deps = Pick<Context, 'db' | 'emails' | 'mailer'>

/** Looks for new messages, plans emails about them, and sends what is due. */
export async function mailNotifications({ db, emails }: Deps): Promise<void> {
  const { realm_ids, has_new_realm, has_due } = await readBacklog(db)
  if (has_new_realm) await addCursors(db)
  for (const realmId of realm_ids) while (await planEmails(db, realmId));
  if (has_due) await emails.resume()
}

export async function planAfterEdit({ db, mailer }: Deps, job: Job<'plan_channel_emails'>): Promise<void> {
  if (mailer) await planChannelEmails(db, job.realm_id, job.message_id)
}
