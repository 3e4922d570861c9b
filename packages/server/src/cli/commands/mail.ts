import type { Command } from 'commander'
import { orFail } from '../report-error.ts'

export function addMailCommands(parley: Command): void {
  const mail = parley.command('mail').description('emails of the server')
  mail
    .command('test')
    .description('send an email with the settings of the server')
    .argument('<email>', 'who receives it')
    .action(orFail(async (email) => (await import('../checks/mail-test.ts')).sendTestMail(email)))
  mail
    .command('deliver')
    .description('take an email from standard input and post it; for mail servers, with exit codes of sysexits.h')
    .option('--recipient <address...>', 'the address it was sent to (default: ORIGINAL_RECIPIENT or RECIPIENT)')
    .option('--sender <address>', 'the address that gets bounces (default: SENDER); empty for a bounce')
    .action(async (options) => (await import('../mail-deliver.ts')).deliverMail(options))
}
