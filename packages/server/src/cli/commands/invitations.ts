import { type Command, Option } from 'commander'
import { orFail } from '../report-error.ts'
import { roleNames } from '../users/role-names.ts'
import { inRealm } from './options.ts'

export function addInvitationCommand(parley: Command): void {
  parley
    .command('invite')
    .description('invite people by email in the name of an owner; without SMTP_URL, print the links')
    .argument('[email...]', 'their email addresses')
    .option('--from-csv <file>', 'a file with the column email and, if you like, role')
    .addOption(new Option('--role <role>', 'what they may do').choices(roleNames).default('member'))
    .option('--by <email>', 'the owner who invites them (default: the first one)')
    .addOption(inRealm())
    .action(orFail(async (emails, options) => (await import('../users/invite.ts')).invite(emails, options)))
}
