import type { Command } from 'commander'
import { orFail } from '../report-error.ts'

export function addServerCommands(parley: Command): void {
  parley
    .command('serve')
    .description('start the server')
    .option('--demo', 'add sample users and messages; serve only this machine')
    .option('--processes <number>', 'how many processes serve, or "auto": half as many as there are cores')
    .action(
      orFail(async ({ demo, processes }) =>
        (await import('../serve.ts')).serve(demo ? 'demo' : 'production', processes),
      ),
    )

  parley
    .command('worker')
    .description('run the background jobs of the servers on DATABASE_URL, on a separate machine')
    .action(orFail(async () => (await import('../worker.ts')).work()))

  parley
    .command('migrate')
    .description('bring the database up to date, without starting the server')
    .option('--check', 'only say whether this version can, and what it would apply')
    .action(orFail(async (options) => (await import('../migrate.ts')).migrateOnly(options)))

  parley
    .command('health')
    .description('say whether the server on this machine is ready, for containers')
    .action(orFail(async () => (await import('../health.ts')).printHealth()))

  parley
    .command('psql')
    .description('open psql on the database, whether or not the server is running')
    .argument('[argument...]', 'arguments of psql, after --')
    .action(orFail(async (args) => (await import('../psql.ts')).openPsql(args)))
}
