import { exportTypes } from '@parley/api/export'
import { Argument, Command, Option } from 'commander'
import { grants } from '../users/actions.ts'
import { orFail } from './fail.ts'
import { roleNames } from './roles.ts'

export const parley = new Command('parley')
  .description(
    'A team-chat server that speaks the Zulip API. It is configured by environment variables: docs/operations.md has the table.',
  )
  .showHelpAfterError('Add --help to see how it is used.')

parley
  .command('serve')
  .description('start the server')
  .option('--demo', 'with invented people and messages, for this machine only')
  .action(orFail(async ({ demo }) => (await import('./serve.ts')).serve(demo ? 'demo' : 'production')))

parley
  .command('worker')
  .description('do the background work of the servers on DATABASE_URL, on a machine of its own')
  .action(orFail(async () => (await import('./worker.ts')).work()))

parley
  .command('migrate')
  .description('bring the database up to date, without starting the server')
  .action(orFail(async () => (await import('./migrate.ts')).migrateOnly()))

const realm = parley.command('realm').description('organizations')
realm
  .command('create')
  .description('make an organization and its first owner')
  .requiredOption('--name <name>', 'what it is called')
  .requiredOption('--string-id <id>', 'its short name: letters, digits and hyphens')
  .option('--host <host>', 'the host name it answers on; without, on every host that no other organization has')
  .requiredOption('--owner-email <address>', 'the address the owner signs in with')
  .requiredOption('--owner-name <name>', "the owner's full name")
  .option('--owner-password <password>', 'without, it is asked for, or read from standard input')
  .action(orFail(async (options) => (await import('./realm.ts')).createOrganization(options)))

parley
  .command('export')
  .description('write the data of an organization to a file, however large it is')
  .argument('<file>', 'where to, like example.tar.gz; it must not exist yet')
  .addOption(
    new Option('--type <type>', 'public channels only, or also what those who agreed can read')
      .choices(Object.keys(exportTypes))
      .default('public'),
  )
  .option('--realm <id>', 'the short name of the organization, if there are several')
  .action(orFail(async (file, options) => (await import('./export.ts')).exportTo(file, options)))

const user = parley.command('user').description('accounts')
user
  .command('create')
  .description('make an account')
  .argument('<email>', 'the address it signs in with')
  .requiredOption('--name <name>', 'the full name')
  .addOption(new Option('--role <role>', 'what it may do').choices(roleNames).default('member'))
  .option('--password <password>', 'without, it is asked for, or read from standard input')
  .option('--realm <id>', 'the short name of the organization, if there are several')
  .action(orFail(async (email, options) => (await import('./user.ts')).createAccount(email, options)))
user
  .command('grant')
  .description('give an account what the API cannot')
  .argument('<email>', "the account's address")
  .addArgument(new Argument('<permission...>', 'what to give').choices(grants))
  .option('--realm <id>', 'the short name of the organization, if there are several')
  .action(orFail(async (email, granted, options) => (await import('./user.ts')).grantTo(email, granted, options)))

const jobs = parley.command('jobs').description('background jobs that were given up')
jobs
  .command('list')
  .description('show them, with why they failed')
  .action(orFail(async () => (await import('./jobs.ts')).listFailedJobs()))
jobs
  .command('retry')
  .description('try some of them again, from the beginning')
  .argument('<id...>', 'their numbers')
  .action(orFail(async (ids) => (await import('./jobs.ts')).treatFailedJobs(ids, 'retry')))
jobs
  .command('remove')
  .description('remove some of them: they are never done')
  .argument('<id...>', 'their numbers')
  .action(orFail(async (ids) => (await import('./jobs.ts')).treatFailedJobs(ids, 'remove')))
