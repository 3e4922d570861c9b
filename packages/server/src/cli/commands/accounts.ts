import { Argument, type Command, Option } from 'commander'
import { grants } from '../../callers/grants.ts'
import { orFail } from '../report-error.ts'
import { roleNames } from '../users/role-names.ts'
import { asJson, inRealm } from './options.ts'

export function addAccountCommands(parley: Command): void {
  const user = parley.command('user').description('accounts')
  user
    .command('list')
    .description('list the accounts of an organization')
    .option('--all', 'include deactivated accounts and bots')
    .addOption(asJson())
    .addOption(inRealm())
    .action(orFail(async (options) => (await import('../users/list.ts')).listAccounts(options)))
  user
    .command('create')
    .description('create an account, or many from a CSV file; the password is typed or read from standard input')
    .argument('[email]', 'the email address the account signs in with')
    .option('--name <name>', 'the full name')
    .addOption(new Option('--role <role>', 'what it may do').choices(roleNames).default('member'))
    .option('--from-csv <file>', 'a file with the columns email, full_name and, if you like, role; no passwords')
    .option('--keys', 'with --from-csv: print the API key of each account')
    .addOption(inRealm())
    .action(orFail(async (email, options) => (await import('../users/create.ts')).createAccounts(email, options)))
  user
    .command('grant')
    .description('grant an account a permission that the API cannot grant')
    .argument('<email>', "the account's email address")
    .addArgument(new Argument('<permission...>', 'the permissions to grant').choices(grants))
    .addOption(inRealm())
    .action(
      orFail(async (email, granted, options) => (await import('../users/grant.ts')).grantTo(email, granted, options)),
    )
  user
    .command('reset-password')
    .description('set a new password, typed or read from standard input, and sign out everywhere')
    .argument('<email>', "the account's email address")
    .addOption(inRealm())
    .action(orFail(async (email, options) => (await import('../users/credentials.ts')).resetPassword(email, options)))
  user
    .command('reset-link')
    .description('print a link that sets a new password; it works for 30 minutes')
    .argument('<email>', "the account's email address")
    .addOption(inRealm())
    .action(orFail(async (email, options) => (await import('../users/credentials.ts')).printResetLink(email, options)))
  user
    .command('reset-second-factor')
    .description('remove the authenticator app, passkeys and recovery codes of an account')
    .argument('<email>', "the account's email address")
    .addOption(inRealm())
    .action(
      orFail(async (email, options) => (await import('../users/credentials.ts')).resetSecondFactor(email, options)),
    )
  user
    .command('revoke-keys')
    .description('replace the API key of an account, and end its sessions, tokens and event queues')
    .argument('<email>', "the account's email address")
    .addOption(inRealm())
    .action(
      orFail(async (email, options) => (await import('../users/credentials.ts')).revokeAccountKeys(email, options)),
    )

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
  const changes = () => import('../users/change.ts')

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
}
