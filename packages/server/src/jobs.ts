import { refreshChannelTraffic } from './channels/jobs.ts'
import { type Context, transactIn } from './context.ts'
import { type ExportJob, removeOldExports, resumeExports, runExport } from './export/jobs.ts'
import type { MailRequest } from './mail/actions.ts'
import { sendMail } from './mail/jobs.ts'
import { type PreviewJob, refreshPreviews } from './messages/previews.ts'
import { type Jobs, type Schedule, startJobs, type Task } from './platform/jobs/worker.ts'
import { clientsHadTime, endIdleQueues, trimEvents } from './queues/jobs.ts'
import { deleteExpiredMessages } from './retention/jobs.ts'
import { type Delivery, deliverScheduled } from './scheduled/jobs.ts'
import { renewAllFullMembers } from './setup/full-members.ts'
import { makeThumbnails, type ThumbnailJob } from './uploads/thumbnails.ts'
import { removeUnclaimed } from './uploads/unclaimed.ts'
import { forgetOldFailures } from './users/login-limit.ts'
import { forgetOldDeliveries } from './webhooks/deliveries.ts'

/** Background work by name. */
const tasks = {
  end_idle_queues: async (ctx) => {
    await ctx.queues.flushTouches()
    if (await clientsHadTime(ctx.db)) await endIdleQueues(ctx)
  },
  trim_events: (ctx) => trimEvents(ctx),
  refresh_channel_traffic: (ctx) => refreshChannelTraffic(ctx.db),
  forget_login_failures: (ctx) => forgetOldFailures(ctx.db),
  deliver_webhooks: async ({ webhooks }, payload) => {
    const { realm_id, bot_id } = payload as { realm_id: number; bot_id: number }
    webhooks.wake(realm_id, bot_id)
  },
  resume_webhooks: ({ webhooks }) => webhooks.resume(),
  send_mail: (ctx, payload) => sendMail(ctx, payload as MailRequest),
  forget_deliveries: (ctx) => forgetOldDeliveries(ctx.db),
  deliver_scheduled_message: (ctx, payload) => deliverScheduled(ctx, payload as Delivery),
  export_realm: (ctx, payload) => runExport(ctx, payload as ExportJob),
  resume_exports: (ctx) => resumeExports(ctx),
  remove_old_exports: (ctx) => removeOldExports(ctx),
  delete_file: (ctx, payload) => ctx.files.delete((payload as { path: string }).path),
  remove_unfinished_files: (ctx) => ctx.files.removeUnfinished(),
  delete_expired_messages: (ctx) => deleteExpiredMessages(ctx),
  make_thumbnails: (ctx, payload) => makeThumbnails(ctx, payload as ThumbnailJob),
  refresh_previews: (ctx, payload) => {
    const { realm_id, message_id } = payload as PreviewJob
    return transactIn(ctx, realm_id, (tx) => refreshPreviews(tx, message_id))
  },
  remove_unclaimed_files: (ctx) => removeUnclaimed(ctx),
  renew_full_members: (ctx) => renewAllFullMembers(ctx),
} satisfies Record<string, (ctx: Context, payload: unknown) => Promise<void>>

const schedule = {
  end_idle_queues: '* * * * *',
  trim_events: '*/5 * * * *',
  refresh_channel_traffic: '7 * * * *',
  forget_login_failures: '17 * * * *',
  resume_webhooks: '* * * * *',
  forget_deliveries: '47 3 * * *',
  resume_exports: '* * * * *',
  remove_old_exports: '37 * * * *',
  remove_unfinished_files: '57 3 * * *',
  delete_expired_messages: '*/10 * * * *',
  remove_unclaimed_files: '7 4 * * *',
  renew_full_members: '27 3 * * *',
} satisfies Partial<Record<keyof typeof tasks, string>>

/** Does the background work of every realm, sharing it with the other processes on this database. */
export function startBackgroundWork(ctx: Context): Jobs {
  const bound = Object.entries<(ctx: Context, payload: unknown) => Promise<void>>(tasks).map(
    ([name, task]): [string, Task] => [name, (payload) => task(ctx, payload)],
  )
  // What a process that died has left behind need not wait for the next minute.
  ctx.webhooks.resume().catch((error: unknown) => ctx.log.warn({ err: error }, 'deliveries were not resumed'))
  return startJobs({ pool: ctx.pool, log: ctx.log, tasks: Object.fromEntries(bound), schedule: schedule as Schedule })
}
