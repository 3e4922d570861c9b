import { Argument, Command, Option } from 'commander'
import { grants } from '../callers/grants.ts'
import type { ExportKind } from '../operation/export/scope.ts'
import type { sources } from '../operation/import/sources.ts'
import { version } from '../platform/version.ts'
import { orFail } from './report-error.ts'
import { roleNames } from './users/role-names.ts'

// Repeated here: importing them would load every schema, and commands should start fast.
const exportKindNames = ['public', 'standard', 'full'] satisfies ExportKind[]
const importSources = ['slack', 'mattermost', 'zulip', 'parley'] satisfies (keyof typeof sources)[]

function inRealm(): Option {
  return new Option('--realm <id>', 'the short name of the organization, if there are several')
}

function asJson(): Option {
  return new Option('--json', 'print JSON, for programs')
}

export const parley = new Command('parley')
  .version(version)
  .description(
    'A team-chat server that speaks the Zulip API. Environment variables configure it. docs/operations.md lists them.',
  )
  .showHelpAfterError('Run with --help for usage.')

parley
  .command('serve')
  .description('start the server')
  .option('--demo', 'add sample users and messages; serve only this machine')
  .option('--processes <number>', 'how many processes serve, or "auto": half as many as there are cores')
  .action(
    orFail(async ({ demo, processes }) => (await import('./serve.ts')).serve(demo ? 'demo' : 'production', processes)),
  )

parley
  .command('worker')
  .description('run the background jobs of the servers on DATABASE_URL, on a separate machine')
  .action(orFail(async () => (await import('./worker.ts')).work()))

parley
  .command('migrate')
  .description('bring the database up to date, without starting the server')
  .option('--check', 'only say whether this version can, and what it would apply')
  .action(orFail(async (options) => (await import('./migrate.ts')).migrateOnly(options)))

parley
  .command('health')
  .description('say whether the server on this machine is ready, for containers')
  .action(orFail(async () => (await import('./health.ts')).printHealth()))

parley
  .command('psql')
  .description('open psql on the database, whether or not the server is running')
  .argument('[argument...]', 'arguments of psql, after --')
  .action(orFail(async (args) => (await import('./psql.ts')).openPsql(args)))

const realm = parley.command('realm').description('organizations')
realm
  .command('list')
  .description('list the organizations with their hosts and number of accounts')
  .addOption(asJson())
  .action(orFail(async (options) => (await import('./realms/list.ts')).listOrganizations(options)))
realm
  .command('create')
  .description('create an organization and its first owner')
  .requiredOption('--name <name>', 'what it is called')
  .requiredOption('--string-id <id>', 'its short name: letters, digits and hyphens')
  .option('--host <host>', 'the host name it answers on (default: every host that no other organization has)')
  .requiredOption('--owner-email <email>', 'the email address the owner signs in with')
  .requiredOption('--owner-name <name>', "the owner's full name")
  .action(orFail(async (options) => (await import('./realms/create.ts')).createOrganization(options)))
realm
  .command('deactivate')
  .description('refuse every request of an organization; nothing is deleted')
  .addOption(inRealm())
  .action(orFail(async (options) => (await import('./realms/activity.ts')).setRealmActive(false, options)))
realm
  .command('reactivate')
  .description('undo a deactivation')
  .addOption(inRealm())
  .action(orFail(async (options) => (await import('./realms/activity.ts')).setRealmActive(true, options)))

realm
  .command('rename')
  .description('give an organization another name; its short name stays')
  .argument('<name>', 'the new name')
  .addOption(inRealm())
  .action(orFail(async (name, options) => (await import('./realms/change.ts')).renameOrganization(name, options)))
realm
  .command('set-host')
  .description('move an organization to another host name')
  .argument('<host>', 'the host name, or "default": every host that no other organization has')
  .addOption(inRealm())
  .action(orFail(async (host, options) => (await import('./realms/change.ts')).setHost(host, options)))
realm
  .command('set-retention')
  .description('delete messages after a time; channels with a period of their own keep it')
  .argument('<days>', 'a number of days, or "forever"')
  .addOption(inRealm())
  .action(orFail(async (days, options) => (await import('./realms/change.ts')).setRetention(days, options)))
realm
  .command('set-quota')
  .description('limit the uploads of an organization')
  .argument('<mib>', 'MiB that they may take together, 0: no limit, or "default": REALM_UPLOAD_QUOTA')
  .addOption(inRealm())
  .action(orFail(async (mib, options) => (await import('./realms/change.ts')).setQuota(mib, options)))
realm
  .command('delete')
  .description('delete an organization with its messages, accounts and files; can be repeated after an interruption')
  .requiredOption('--realm <id>', 'the short name of the organization')
  .option('--yes', 'do not ask for its name')
  .action(orFail(async (options) => (await import('./realms/delete.ts')).deleteOrganization(options)))

parley
  .command('export')
  .description('write the data of an organization to a file, however large it is')
  .argument('<file>', 'the new file, like example.tar.gz; it must not exist yet')
  .addOption(
    new Option(
      '--type <type>',
      'public channels, or also what those who agreed can read, or everything (for a move; keep it safe)',
    )
      .choices(exportKindNames)
      .default('public'),
  )
  .option('--users <email...>', 'of a full export only the messages that these people sent or received, and their data')
  .option('--since <date>', 'of a full export only messages since this date, such as 2026-01-31')
  .addOption(inRealm())
  .action(orFail(async (file, options) => (await import('./export.ts')).exportTo(file, options)))

parley
  .command('import')
  .description('import an export of another program into a new organization, or what is new in it; asks nothing')
  .argument('<file>', 'a zip file, a .tar.gz or a folder')
  .addOption(new Option('--source <program>', 'which program made it').choices(importSources).makeOptionMandatory())
  .requiredOption('--into <id>', 'the short name of the organization: letters, digits and hyphens')
  .option('--dry-run', 'only say what the file has')
  .option('--owner-email <email>', 'who becomes owner; without it nobody does')
  .option('--roles', 'let administrators of the source keep their roles')
  .option('--match <domain...>', 'people with emails of this domain are those who have an account here')
  .addOption(
    new Option('--threads <choice>', 'topics: a threads of 3 replies or more, b all threads, c none, d replies only')
      .choices(['a', 'b', 'c', 'd'])
      .default('a'),
  )
  .option('--host <host>', 'the host name it answers on (default: <id> in front of the host of PUBLIC_URL)')
  .addOption(asJson())
  .action(orFail(async (file, options) => (await import('./import.ts')).importFrom(file, options)))

parley
  .command('backup')
  .description('copy the embedded database, the files and the secret into a folder, while the server runs')
  .argument('<folder>', 'the folder for the backups; it can hold many')
  .option('--follow', 'keep running and copy every change, so that any second can be restored')
  .option('--verify', 'only check the backups that are in the folder')
  .option('--keep <number>', 'afterwards delete all copies but the newest ones')
  .action(orFail(async (folder, options) => (await import('./backup.ts')).backUp(folder, options)))
parley
  .command('restore')
  .description('restore a backup into an empty DATA_DIR')
  .argument('<folder>', 'the folder of "parley backup"')
  .option('--to <time>', 'the moment to restore, like 2026-01-31T12:00:00Z (default: the last one)')
  .option(
    '--drill',
    'only try it in a temporary folder, and say what was verified; the exit code is 1 if there is a problem',
  )
  .action(orFail(async (folder, options) => (await import('./restore.ts')).restore(folder, options)))

const user = parley.command('user').description('accounts')
user
  .command('list')
  .description('list the accounts of an organization')
  .option('--all', 'include deactivated accounts and bots')
  .addOption(asJson())
  .addOption(inRealm())
  .action(orFail(async (options) => (await import('./users/list.ts')).listAccounts(options)))
user
  .command('create')
  .description('create an account, or many from a CSV file; the password is typed or read from standard input')
  .argument('[email]', 'the email address the account signs in with')
  .option('--name <name>', 'the full name')
  .addOption(new Option('--role <role>', 'what it may do').choices(roleNames).default('member'))
  .option('--from-csv <file>', 'a file with the columns email, full_name and, if you like, role; no passwords')
  .option('--keys', 'with --from-csv: print the API key of each account')
  .addOption(inRealm())
  .action(orFail(async (email, options) => (await import('./users/create.ts')).createAccounts(email, options)))
user
  .command('grant')
  .description('grant an account a permission that the API cannot grant')
  .argument('<email>', "the account's email address")
  .addArgument(new Argument('<permission...>', 'the permissions to grant').choices(grants))
  .addOption(inRealm())
  .action(
    orFail(async (email, granted, options) => (await import('./users/grant.ts')).grantTo(email, granted, options)),
  )
user
  .command('reset-password')
  .description('set a new password, typed or read from standard input, and sign out everywhere')
  .argument('<email>', "the account's email address")
  .addOption(inRealm())
  .action(orFail(async (email, options) => (await import('./users/credentials.ts')).resetPassword(email, options)))
user
  .command('reset-link')
  .description('print a link that sets a new password; it works for 30 minutes')
  .argument('<email>', "the account's email address")
  .addOption(inRealm())
  .action(orFail(async (email, options) => (await import('./users/credentials.ts')).printResetLink(email, options)))
user
  .command('reset-second-factor')
  .description('remove the authenticator app, passkeys and recovery codes of an account')
  .argument('<email>', "the account's email address")
  .addOption(inRealm())
  .action(orFail(async (email, options) => (await import('./users/credentials.ts')).resetSecondFactor(email, options)))
user
  .command('revoke-keys')
  .description('replace the API key of an account, and end its sessions, tokens and event queues')
  .argument('<email>', "the account's email address")
  .addOption(inRealm())
  .action(orFail(async (email, options) => (await import('./users/credentials.ts')).revokeAccountKeys(email, options)))

/** A command that changes accounts by the rules of the API: those of its arguments, or of a CSV file. */
function accountChange(name: string, description: string, columns: string, argument = '[email...]'): Command {
  return user
    .command(name)
    .description(description)
    .argument(argument, 'their email addresses')
    .option('--csv <file>', `a file with the ${columns}`)
    .option('--dry-run', 'only say what would be done')
    .addOption(inRealm())
}
const changes = () => import('./users/change.ts')

accountChange('deactivate', 'deactivate accounts and their bots, and end their sessions', 'column email').action(
  orFail(async (emails, options) => (await changes()).deactivateAccounts(emails, options)),
)
accountChange('reactivate', 'reactivate accounts; their keys stay replaced', 'column email').action(
  orFail(async (emails, options) => (await changes()).reactivateAccounts(emails, options)),
)
accountChange('set-role', 'give accounts a role', 'columns email and role')
  .addOption(new Option('--role <role>', 'what they may do').choices(roleNames))
  .action(orFail(async (emails, options) => (await changes()).setRoles(emails, options)))
accountChange('change-email', 'give an account another email address', 'columns email and new_email', '[emails...]')
  .usage('[options] [email new-email]')
  .action(orFail(async (emails, options) => (await changes()).changeEmails(emails, options)))
accountChange('sessions', 'list the browser sessions of an account, or end those of many', 'column email')
  .option('--end', 'end them all')
  .addOption(asJson())
  .action(orFail(async (emails, options) => (await changes()).showSessions(emails, options)))
accountChange('add-to', 'subscribe accounts to channels, and add them to groups', 'column email')
  .option('--channel <name...>', 'names of channels')
  .option('--group <name...>', 'names of groups')
  .action(orFail(async (emails, options) => (await changes()).addAccountsTo(emails, options)))

const secret = parley.command('secret').description('the key that seals API keys and other secrets in the database')
secret
  .command('rotate')
  .description('seal everything with a new key; the old one can still be read')
  .action(orFail(async () => (await import('./secrets/rotate.ts')).rotateSecret()))
secret
  .command('remove-old')
  .description('remove the old key from secret.key, once nothing needs it')
  .action(orFail(async () => (await import('./secrets/rotate.ts')).removeOldSecrets()))
secret
  .command('replace')
  .description('after the loss of the key: list what is lost, and replace it')
  .option('--yes', 'replace it')
  .action(orFail(async (options) => (await import('./secrets/replace.ts')).replaceSecrets(options)))

const scim = parley.command('scim').description('tokens with which identity providers manage users and groups')
scim
  .command('create-token')
  .description('create a token and print it once; it can create, change and deactivate accounts')
  .requiredOption('--name <name>', 'what it is for, such as Entra')
  .addOption(inRealm())
  .action(orFail(async (options) => (await import('./scim-tokens.ts')).createToken(options)))
scim
  .command('list-tokens')
  .description('list the tokens with their last use')
  .addOption(asJson())
  .addOption(inRealm())
  .action(orFail(async (options) => (await import('./scim-tokens.ts')).listTokens(options)))
scim
  .command('revoke-token')
  .description('revoke a token; accounts and groups stay as they are')
  .argument('<id>', 'the number that list-tokens shows')
  .addOption(inRealm())
  .action(orFail(async (id, options) => (await import('./scim-tokens.ts')).revokeToken(id, options)))

parley
  .command('invite')
  .description('invite people by email in the name of an owner; without SMTP_URL, print the links')
  .argument('[email...]', 'their email addresses')
  .option('--from-csv <file>', 'a file with the column email and, if you like, role')
  .addOption(new Option('--role <role>', 'what they may do').choices(roleNames).default('member'))
  .option('--by <email>', 'the owner who invites them (default: the first one)')
  .addOption(inRealm())
  .action(orFail(async (emails, options) => (await import('./users/invite.ts')).invite(emails, options)))

const auditLog = parley.command('audit-log').description('the record of actions that matter for security')
auditLog
  .command('verify')
  .description('check that no row was changed, inserted or removed, and print the last hash to write down elsewhere')
  .addOption(inRealm())
  .action(orFail(async (options) => (await import('./audit-log.ts')).verifyAuditLog(options)))
auditLog
  .command('print')
  .description('print the audit log of an organization, one JSON object per line')
  .addOption(inRealm())
  .action(orFail(async (options) => (await import('./audit-log.ts')).printAuditLog(options)))

const jobs = parley.command('jobs').description('background jobs')
jobs
  .command('list')
  .description('list the jobs that failed for good, with their errors')
  .option('--all', 'also those that wait or run')
  .addOption(asJson())
  .action(orFail(async (options) => (await import('./jobs.ts')).listJobs(options)))
jobs
  .command('retry')
  .description('retry failed jobs with all their attempts')
  .argument('<id...>', 'their numbers')
  .action(orFail(async (ids) => (await import('./jobs.ts')).handleFailedJobs(ids, 'retry')))
jobs
  .command('remove')
  .description('delete failed jobs; they never run')
  .argument('<id...>', 'their numbers')
  .action(orFail(async (ids) => (await import('./jobs.ts')).handleFailedJobs(ids, 'remove')))

parley
  .command('check')
  .description(
    'check database, clocks, disk, files, mail server and certificate; the exit code is 1 if there is a problem',
  )
  .addOption(asJson())
  .action(orFail(async (options) => (await import('./checks/check.ts')).checkServer(options)))

parley
  .command('support-bundle')
  .description('write one file about the server for those who help, without secrets and messages')
  .argument('[file]', 'the new file')
  .action(orFail(async (file) => (await import('./checks/support-bundle.ts')).writeSupportBundle(file)))

const maintenance = parley.command('maintenance').description('a time in which nothing can be changed')
maintenance
  .command('on')
  .description('refuse changes in all organizations; reading goes on')
  .argument('<text>', 'what it is for and until when; users read it')
  .action(orFail(async (text) => (await import('./server/maintenance.ts')).beginMaintenance(text)))
maintenance
  .command('off')
  .description('end it')
  .action(orFail(async () => (await import('./server/maintenance.ts')).endMaintenance()))

const rateLimit = parley.command('rate-limit').description('how many requests a user may send')
rateLimit
  .command('set')
  .description('change it for all running servers and later ones')
  .argument('<number>', 'requests a minute and user, 0: no limit, or "default": RATE_LIMIT')
  .action(orFail(async (limit) => (await import('./server/rate-limit.ts')).changeRateLimit(limit)))

const mail = parley.command('mail').description('emails of the server')
mail
  .command('test')
  .description('send an email with the settings of the server')
  .argument('<email>', 'who receives it')
  .action(orFail(async (email) => (await import('./checks/mail-test.ts')).sendTestMail(email)))
mail
  .command('deliver')
  .description('take an email from standard input and post it; for mail servers, with exit codes of sysexits.h')
  .option('--recipient <address...>', 'the address it was sent to (default: ORIGINAL_RECIPIENT or RECIPIENT)')
  .option('--sender <address>', 'the address that gets bounces (default: SENDER); empty for a bounce')
  .action(async (options) => (await import('./mail-deliver.ts')).deliverMail(options))
