import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, transactIn } from '../context.ts'
import { refreshChannelTraffic } from '../conversations/channels/traffic-job.ts'
import { deliverReminder } from '../conversations/later/reminders/jobs.ts'
import { forgetOldScheduled } from '../conversations/later/scheduled/actions.ts'
import { deliverScheduled } from '../conversations/later/scheduled/jobs.ts'
import { endStream } from '../conversations/messages/edit/streaming.ts'
import { resumeMoves } from '../conversations/messages/move/move-jobs.ts'
import { refreshPreviews } from '../conversations/messages/rendering/previews.ts'
import { deleteOldBatches } from '../conversations/messages/send/batches.ts'
import { deleteOldInsistence } from '../conversations/messages/send/notice-mode.ts'
import { emitPolicies } from '../conversations/topics/policies.ts'
import { removeExpiredUploads } from '../conversations/uploads/resumable/remove-expired.ts'
import { makeThumbnails } from '../conversations/uploads/thumbnails.ts'
import { removeUnclaimed } from '../conversations/uploads/unclaimed.ts'
import { deleteExpired } from '../delivery/email-notifications/due-emails.ts'
import { mailNotifications, planAfterEdit } from '../delivery/email-notifications/jobs.ts'
import { deleteOldKeys } from '../delivery/hooks/hook-messages.ts'
import { showHookCount } from '../delivery/hooks/jobs.ts'
import { deleteOldHookRequests } from '../delivery/hooks/request-log.ts'
import { deleteOldImages } from '../delivery/link-previews/page-images.ts'
import { planPreviews } from '../delivery/link-previews/pending.ts'
import { deleteOldIncoming } from '../delivery/mail-in/accepted-emails.ts'
import { deleteOldBounces } from '../delivery/mail-in/bounces/bounces.ts'
import { deliverIncoming } from '../delivery/mail-in/deliver-email.ts'
import { deleteOldTrail } from '../delivery/notifications/trail.ts'
import { notifyBrowsers } from '../delivery/push/jobs.ts'
import { endIdleQueues, trimEvents, waitForClients } from '../delivery/queues/jobs.ts'
import { deleteOldDeliveries } from '../delivery/webhooks/deliveries.ts'
import { webhooksBehind } from '../delivery/webhooks/plan-events.ts'
import { deleteOldRequests } from '../http/serving/idempotency.ts'
import { sendMail } from '../identity/accounts/account-emails-job.ts'
import { syncAllFullMembers } from '../identity/accounts/full-members-job.ts'
import { deleteOldPasswordResets, sendPasswordReset } from '../identity/accounts/password-reset.ts'
import { endSuspensions } from '../identity/accounts/suspend-account.ts'
import { deleteOldInvitations } from '../identity/invitations/actions.ts'
import { deleteOldFailures } from '../identity/passwords/attempt-limit.ts'
import { fetchAvatar } from '../identity/providers/avatar.ts'
import { fetchPhoto } from '../identity/providers/ldap/ldap-avatar.ts'
import { planDirectorySyncs, syncDirectories } from '../identity/providers/ldap/ldap-sync.ts'
import { deleteOldChallenges } from '../identity/second-factors/challenges.ts'
import { auditFailedSignIn, deleteOldSignInPlaces, reportFailedSignIns } from '../identity/sessions/sign-in-notices.ts'
import { endExpiredCredentials, endSessionsWithoutFactor } from '../identity/sessions/stored-credentials.ts'
import { checkRenewals, renewCertificates } from '../operation/certificates/renew.ts'
import { removeOldExports, resumeExports, runExport } from '../operation/export/jobs.ts'
import { deleteExpiredMessages } from '../operation/retention/jobs.ts'
import { purgeDeleted } from '../operation/retention/purge-deleted.ts'
import { endStatuses } from '../people/status/jobs.ts'
import { type Jobs, startJobs, type TaskFunctions } from '../platform/jobs/job-runner.ts'
import { addScheduledRuns } from '../platform/jobs/job-store.ts'
import { followSchedule } from '../platform/jobs/schedule.ts'
import { WorkSignal } from '../platform/jobs/signal.ts'
import type { Job, Tasks } from '../platform/jobs/tasks.ts'

type Work = { [Name in keyof Tasks]: (ctx: Context, job: Job<Name>) => Promise<void> }

/** Tasks triggered by events. */
const work: Work = {
  deliver_webhooks: async ({ webhooks }, { realm_id, bot_id }) => webhooks.wake(realm_id, bot_id),
  deliver_scheduled_message: deliverScheduled,
  deliver_reminder: deliverReminder,
  show_hook_count: showHookCount,
  send_mail: sendMail,
  deliver_incoming_email: deliverIncoming,
  plan_channel_emails: planAfterEdit,
  send_password_reset: sendPasswordReset,
  report_failed_sign_ins: reportFailedSignIns,
  audit_failed_sign_in: auditFailedSignIn,
  sync_directories: syncDirectories,
  fetch_directory_avatar: fetchPhoto,
  fetch_avatar: fetchAvatar,
  export_realm: runExport,
  delete_file: ({ files }, { path }) => files.delete(path),
  make_thumbnails: makeThumbnails,
  end_stream: endStream,
  refresh_previews: (ctx, { realm_id, message_id }) =>
    transactIn(ctx, realm_id, (tx) => refreshPreviews(tx, message_id)),
}

/** Periodic tasks, with their schedule in cron notation. */
const periodicTasks: Record<string, [string, (ctx: Context) => Promise<void>]> = {
  end_idle_queues: ['* * * * *', endQueuesLeftBehind],
  end_expired_credentials: ['* * * * *', endExpiredCredentials],
  end_statuses: ['* * * * *', endStatuses],
  end_suspensions: ['* * * * *', endSuspensions],
  plan_directory_syncs: ['* * * * *', planDirectorySyncs],
  trim_events: ['*/5 * * * *', (ctx) => trimEvents(ctx)],
  refresh_channel_traffic: ['7 * * * *', ({ db }) => refreshChannelTraffic(db)],
  forget_login_failures: ['17 * * * *', ({ db }) => deleteOldFailures(db)],
  forget_password_resets: ['27 * * * *', ({ db }) => deleteOldPasswordResets(db)],
  end_sessions_without_factor: ['*/10 * * * *', endSessionsWithoutFactor],
  forget_used_challenges: ['33 * * * *', ({ db }) => deleteOldChallenges(db)],
  forget_sign_in_places: ['42 3 * * *', ({ db }) => deleteOldSignInPlaces(db)],
  resume_webhooks: ['* * * * *', ({ webhooks }) => webhooks.resume()],
  forget_deliveries: ['47 3 * * *', ({ db }) => deleteOldDeliveries(db)],
  delete_old_hook_requests: ['22 * * * *', ({ db }) => deleteOldHookRequests(db)],
  delete_old_hook_keys: ['24 3 * * *', ({ db }) => deleteOldKeys(db)],
  delete_old_bounces: ['18 3 * * *', ({ db }) => deleteOldBounces(db)],
  delete_old_insistence: ['16 * * * *', ({ db }) => deleteOldInsistence(db)],
  delete_old_notification_trail: ['14 3 * * *', ({ db }) => deleteOldTrail(db)],
  delete_expired_emails: ['2 4 * * *', ({ db }) => deleteExpired(db)],
  delete_old_incoming_emails: ['12 3 * * *', ({ db }) => deleteOldIncoming(db)],
  delete_old_preview_images: ['34 3 * * *', deleteOldImages],
  delete_old_batches: ['32 3 * * *', ({ db }) => deleteOldBatches(db)],
  forget_scheduled: ['52 3 * * *', ({ db }) => forgetOldScheduled(db)],
  delete_old_invitations: ['12 4 * * *', ({ db }) => deleteOldInvitations(db)],
  delete_old_requests: ['*/10 * * * *', ({ db }) => deleteOldRequests(db)],
  resume_exports: ['* * * * *', resumeExports],
  resume_moves: ['* * * * *', (ctx) => resumeMoves(ctx, { renderer: ctx.renderer, emitPolicies })],
  remove_old_exports: ['37 * * * *', removeOldExports],
  purge_deleted_messages: ['*/10 * * * *', purgeDeleted],
  delete_expired_messages: ['*/10 * * * *', (ctx) => deleteExpiredMessages(ctx)],
  remove_unclaimed_files: ['7 4 * * *', removeUnclaimed],
  remove_expired_uploads: ['17 * * * *', removeExpiredUploads],
  remove_unfinished_files: ['57 3 * * *', ({ files }) => files.removeUnfinished()],
  renew_certificates: ['*/5 * * * *', renewCertificates],
  check_renewals: ['41 * * * *', checkRenewals],
  renew_full_members: ['27 3 * * *', syncAllFullMembers],
}

export const taskNames = [...Object.keys(work), ...Object.keys(periodicTasks)]

/** Tasks that can take minutes have their own slots, so that quick tasks never wait for them. */
const slow = new Set([
  'send_mail',
  'send_password_reset',
  'deliver_incoming_email',
  'fetch_directory_avatar',
  'export_realm',
  'resume_exports',
  'resume_moves',
  'remove_old_exports',
  'make_thumbnails',
  'fetch_avatar',
  'renew_certificates',
  'check_renewals',
  'delete_expired_messages',
  'purge_deleted_messages',
])

/** Must not wait for anything: users lose their access within a minute. */
const urgent = new Set(['sync_directories'])

async function endQueuesLeftBehind(ctx: Context): Promise<void> {
  await ctx.queues.flushTouches()
  if (await waitForClients(ctx.db)) await endIdleQueues(ctx)
}

/** Runs the background jobs of every realm, shared with the other processes on this database. */
export function startBackgroundWork(ctx: Context): Jobs {
  resumeWork(ctx)
  const schedule = startSchedule(ctx)
  const repeated = [
    repeat(ctx, 'could not send push notifications', async () =>
      (await notifyBrowsers(ctx)) ? 1000 : idleMilliseconds,
    ),
    repeat(ctx, 'could not look for links', () => findLinks(ctx)),
    repeat(ctx, 'could not look for events for webhooks', () => wakeWebhooks(ctx)),
    ...(ctx.mailer ? [repeat(ctx, 'could not send emails about messages', () => mailEvery(ctx))] : []),
  ]
  const signal = new WorkSignal(ctx.pool)
  const isQuick = (task: string) => !slow.has(task) && !urgent.has(task)
  const parts = [
    startPart(ctx, signal, isQuick),
    startPart(ctx, signal, (task) => slow.has(task)),
    ...(ctx.config.signOn.ldap.length > 0 ? [startPart(ctx, signal, (task) => urgent.has(task))] : []),
  ]
  return {
    pools: () => parts.flatMap((part) => part.pools()),
    stop: async () => {
      schedule.stop()
      await Promise.all([...repeated, ...parts].map((part) => part.stop()))
    },
  }
}

/** What a dead process left behind need not wait for the next minute. */
function resumeWork({ webhooks, pool, log }: Context): void {
  webhooks.resume().catch((error: unknown) => log.warn({ err: error }, 'could not resume deliveries'))
  pool
    .query(
      `select jobs.add_job(task, line := task, max_attempts := 1) from unnest('{resume_exports, resume_moves, renew_certificates}'::text[]) task`,
    )
    .catch((error: unknown) => log.warn({ err: error }, 'could not resume exports, moves and certificates'))
}

function startSchedule({ pool, log }: Context): { stop(): void } {
  const schedule = Object.fromEntries(Object.entries(periodicTasks).map(([name, [when]]) => [name, when]))
  return followSchedule(schedule, (tasks, minute) => {
    addScheduledRuns(pool, tasks, minute).catch((error: unknown) =>
      log.warn({ err: error, tasks }, 'could not schedule background jobs'),
    )
  })
}

/** While nobody wants push notifications. */
const idleMilliseconds = 10_000
const failedMilliseconds = 1000

/** Previews of what messages link to. */
async function findLinks({ db, linkPreviews }: Context): Promise<number> {
  const { due, isInUse } = await planPreviews(db)
  for (const { realm_id, target_id } of due) linkPreviews.wake(realm_id, target_id)
  return isInUse ? 1000 : idleMilliseconds
}

/** Webhooks that are called for events follow the log. */
async function wakeWebhooks({ db, webhooks }: Context): Promise<number> {
  for (const { realm_id, bot_id } of await webhooksBehind(db)) webhooks.wake(realm_id, bot_id)
  return 1000
}

/** Emails wait anyway, so their rounds need not be as close as those of push notifications. */
async function mailEvery(ctx: Context): Promise<number> {
  await mailNotifications(ctx)
  return 5000
}

/** For work that cannot wait for the next minute and starts with one cheap query. It returns how long to pause. */
function repeat({ log }: Context, failure: string, work: () => Promise<number>): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const run = async () => {
    while (!stopping.signal.aborted) {
      const pause = await work().catch((error: unknown) => {
        log.warn({ err: error }, failure)
        return failedMilliseconds
      })
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    stop() {
      stopping.abort()
      return running
    },
  }
}

function startPart(ctx: Context, signal: WorkSignal, isSelected: (task: string) => boolean): Jobs {
  const selected = <T>(table: Record<string, T>) => Object.entries(table).filter(([name]) => isSelected(name))
  const tasks: TaskFunctions = Object.fromEntries([
    ...selected<(ctx: Context, job: never) => Promise<void>>(work).map(([name, task]) => [
      name,
      (job: never) => task(ctx, job),
    ]),
    ...selected(periodicTasks).map(([name, [, task]]) => [name, () => task(ctx)]),
  ])
  const ended = (task: string, isDone: boolean) => ctx.metrics.jobs.inc({ task, outcome: isDone ? 'done' : 'failed' })
  const isPaused = () => ctx.settings.maintenance !== null
  return startJobs({ pool: ctx.pool, log: ctx.log, tasks, atOnce: ctx.config.jobsAtOnce, signal, isPaused, ended })
}
