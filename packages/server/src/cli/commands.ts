import { Command } from 'commander'
import { version } from '../platform/version.ts'
import { addAccountCommands } from './commands/accounts.ts'
import { addDataCommands } from './commands/data.ts'
import { addInvitationCommand } from './commands/invitations.ts'
import { addMailCommands } from './commands/mail.ts'
import { addOperationCommands } from './commands/operation.ts'
import { addOrganizationCommands } from './commands/organizations.ts'
import { addSecretCommands } from './commands/secrets.ts'
import { addServerCommands } from './commands/server.ts'

export const parley = new Command('parley')
  .version(version)
  .description(
    'A team-chat server that speaks the Zulip API. Environment variables configure it. docs/operations.md lists them.',
  )
  .showHelpAfterError('Run with --help for usage.')

// In the order of --help.
for (const add of [
  addServerCommands,
  addOrganizationCommands,
  addDataCommands,
  addAccountCommands,
  addSecretCommands,
  addInvitationCommand,
  addOperationCommands,
  addMailCommands,
])
  add(parley)
