import type { Command } from 'commander'
import { orFail } from '../report-error.ts'
import { asJson, inRealm } from './options.ts'

export function addOperationCommands(parley: Command): void {
  const auditLog = parley.command('audit-log').description('the record of actions that matter for security')
  auditLog
    .command('verify')
    .description('check that no row was changed, inserted or removed, and print the last hash to write down elsewhere')
    .addOption(inRealm())
    .action(orFail(async (options) => (await import('../audit-log.ts')).verifyAuditLog(options)))
  auditLog
    .command('print')
    .description('print the audit log of an organization, one JSON object per line')
    .addOption(inRealm())
    .action(orFail(async (options) => (await import('../audit-log.ts')).printAuditLog(options)))

  const notifications = parley.command('notifications').description('pushes and emails about messages')
  notifications
    .command('explain')
    .description('say what became of the notifications of a user about a message, in the last 14 days')
    .argument('<user>', 'the id or the email address of the user')
    .argument('<message>', 'the id of the message')
    .addOption(inRealm())
    .addOption(asJson())
    .action(
      orFail(async (user, message, options) =>
        (await import('../notifications.ts')).explainNotifications(user, message, options),
      ),
    )

  const jobs = parley.command('jobs').description('background jobs')
  jobs
    .command('list')
    .description('list the jobs that failed for good, with their errors')
    .option('--all', 'also those that wait or run')
    .addOption(asJson())
    .action(orFail(async (options) => (await import('../jobs.ts')).listJobs(options)))
  jobs
    .command('retry')
    .description('retry failed jobs with all their attempts')
    .argument('<id...>', 'their numbers')
    .action(orFail(async (ids) => (await import('../jobs.ts')).handleFailedJobs(ids, 'retry')))
  jobs
    .command('remove')
    .description('delete failed jobs; they never run')
    .argument('<id...>', 'their numbers')
    .action(orFail(async (ids) => (await import('../jobs.ts')).handleFailedJobs(ids, 'remove')))

  parley
    .command('check')
    .description(
      'check database, clocks, disk, files, mail server and certificate; the exit code is 1 if there is a problem',
    )
    .addOption(asJson())
    .action(orFail(async (options) => (await import('../checks/check.ts')).checkServer(options)))

  parley
    .command('support-bundle')
    .description('write one file about the server for those who help, without secrets and messages')
    .argument('[file]', 'the new file')
    .action(orFail(async (file) => (await import('../checks/support-bundle.ts')).writeSupportBundle(file)))

  const maintenance = parley.command('maintenance').description('a time in which nothing can be changed')
  maintenance
    .command('on')
    .description('refuse changes in all organizations; reading goes on')
    .argument('<text>', 'what it is for and until when; users read it')
    .action(orFail(async (text) => (await import('../server/maintenance.ts')).beginMaintenance(text)))
  maintenance
    .command('off')
    .description('end it')
    .action(orFail(async () => (await import('../server/maintenance.ts')).endMaintenance()))

  const rateLimit = parley.command('rate-limit').description('how many requests a user may send')
  rateLimit
    .command('set')
    .description('change it for all running servers and later ones')
    .argument('<number>', 'requests a minute and user, 0: no limit, or "default": RATE_LIMIT')
    .action(orFail(async (limit) => (await import('../server/rate-limit.ts')).changeRateLimit(limit)))
}
