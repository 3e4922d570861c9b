import { type Command, Option } from 'commander'
import type { ExportKind } from '../../operation/export/scope.ts'
import type { sources } from '../../operation/import/sources.ts'
import { orFail } from '../report-error.ts'
import { asJson, inRealm } from './options.ts'

// Repeated here: importing them would load every schema, and commands should start fast.
const exportKindNames = ['public', 'standard', 'full'] satisfies ExportKind[]
const importSources = ['slack', 'mattermost', 'zulip', 'parley'] satisfies (keyof typeof sources)[]

export function addDataCommands(parley: Command): void {
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
    .option(
      '--users <email...>',
      'of a full export only the messages that these people sent or received, and their data',
    )
    .option('--since <date>', 'of a full export only messages since this date, such as 2026-01-31')
    .addOption(inRealm())
    .action(orFail(async (file, options) => (await import('../export.ts')).exportTo(file, options)))

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
    .action(orFail(async (file, options) => (await import('../import.ts')).importFrom(file, options)))

  parley
    .command('backup')
    .description('copy the embedded database, the files and the secret into a folder, while the server runs')
    .argument('<folder>', 'the folder for the backups; it can hold many')
    .option('--follow', 'keep running and copy every change, so that any second can be restored')
    .option('--verify', 'only check the backups that are in the folder')
    .option('--keep <number>', 'afterwards delete all copies but the newest ones')
    .action(orFail(async (folder, options) => (await import('../backup.ts')).backUp(folder, options)))
  parley
    .command('restore')
    .description('restore a backup into an empty DATA_DIR')
    .argument(
      '<folder>',
      'the folder of "parley backup", or the URL of a bucket, like s3://bucket/folder?region=eu-central-1',
    )
    .option('--to <time>', 'the moment to restore, like 2026-01-31T12:00:00Z (default: the last one)')
    .option(
      '--drill',
      'only try it in a temporary folder, and say what was verified; the exit code is 1 if there is a problem',
    )
    .action(orFail(async (folder, options) => (await import('../restore.ts')).restore(folder, options)))
}
