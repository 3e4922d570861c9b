import type { Command } from 'commander'
import { orFail } from '../report-error.ts'
import { asJson, inRealm } from './options.ts'

export function addOrganizationCommands(parley: Command): void {
  const realm = parley.command('realm').description('organizations')
  realm
    .command('list')
    .description('list the organizations with their hosts and number of accounts')
    .addOption(asJson())
    .action(orFail(async (options) => (await import('../realms/list.ts')).listOrganizations(options)))
  realm
    .command('create')
    .description('create an organization and its first owner')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--string-id <id>', 'its short name: letters, digits and hyphens')
    .option('--host <host>', 'the host name it answers on (default: every host that no other organization has)')
    .requiredOption('--owner-email <email>', 'the email address the owner signs in with')
    .requiredOption('--owner-name <name>', "the owner's full name")
    .action(orFail(async (options) => (await import('../realms/create.ts')).createOrganization(options)))
  realm
    .command('deactivate')
    .description('refuse every request of an organization; nothing is deleted')
    .addOption(inRealm())
    .action(orFail(async (options) => (await import('../realms/activity.ts')).setRealmActive(false, options)))
  realm
    .command('reactivate')
    .description('undo a deactivation')
    .addOption(inRealm())
    .action(orFail(async (options) => (await import('../realms/activity.ts')).setRealmActive(true, options)))

  realm
    .command('rename')
    .description('give an organization another name; its short name stays')
    .argument('<name>', 'the new name')
    .addOption(inRealm())
    .action(orFail(async (name, options) => (await import('../realms/change.ts')).renameOrganization(name, options)))
  realm
    .command('set-host')
    .description('move an organization to another host name')
    .argument('<host>', 'the host name, or "default": every host that no other organization has')
    .addOption(inRealm())
    .action(orFail(async (host, options) => (await import('../realms/change.ts')).setHost(host, options)))
  realm
    .command('set-retention')
    .description('delete messages after a time; channels with a period of their own keep it')
    .argument('<days>', 'a number of days, or "forever"')
    .addOption(inRealm())
    .action(orFail(async (days, options) => (await import('../realms/change.ts')).setRetention(days, options)))
  realm
    .command('set-quota')
    .description('limit the uploads of an organization')
    .argument('<mib>', 'MiB that they may take together, 0: no limit, or "default": REALM_UPLOAD_QUOTA')
    .addOption(inRealm())
    .action(orFail(async (mib, options) => (await import('../realms/change.ts')).setQuota(mib, options)))
  realm
    .command('delete')
    .description('delete an organization with its messages, accounts and files; can be repeated after an interruption')
    .requiredOption('--realm <id>', 'the short name of the organization')
    .option('--yes', 'do not ask for its name')
    .action(orFail(async (options) => (await import('../realms/delete.ts')).deleteOrganization(options)))
}
