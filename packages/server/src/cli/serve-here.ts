import { resolve } from 'node:path'
import { openDatabase } from '../boot/open-database.ts'
import { receiveAssignment, reportReady } from '../boot/process-supervisor.ts'
import { type RunningServer, startServer } from '../boot/start-server.ts'
import type { Config } from '../config.ts'
import type { Say } from '../context.ts'
import { demoPassword, demoPeople } from '../demo/sample-content.ts'
import { renewStartLink } from '../identity/accounts/first-run.ts'
import { keepHeapCompact } from '../platform/compact-heap.ts'
import { commandName } from '../platform/installation.ts'

const say: Say = (line) => console.log(line)

/** Serves in this process, the only one. */
export async function serveAlone(config: Config): Promise<RunningServer> {
  const server = await startServer(config, say, openDatabase, keepHeapCompact)
  await greet(server, config)
  return server
}

/** Serves in a process that the supervisor started. */
export async function serveAsOneOfMany(config: Config): Promise<RunningServer> {
  const { isFirst, database, ...assigned } = await receiveAssignment()
  const migrated = isFirst ? database.migrated : [] // each migration is logged once
  const open = async () => ({ ...database, migrated, close: async () => {} })
  const server = await startServer({ ...config, ...assigned }, say, open, keepHeapCompact)
  if (isFirst) await greet(server, config)
  if (config.hasWebClient) await server.ctx.web.prepare()
  reportReady()
  return server
}

async function greet({ url, ctx, database }: RunningServer, config: Config): Promise<void> {
  const own = config.publicUrl ?? url
  say(`\nParley is running at ${own}\n`)
  const start = config.mode === 'demo' ? undefined : await renewStartLink(ctx)
  if (config.mode === 'demo') greetDemo(url)
  else if (start !== undefined) say(noOrganization(config, own + start))
  say(`  Data: ${database.place}`)
  say('  Stop: Ctrl-C, or SIGTERM\n')
}

function greetDemo(url: string): void {
  say(`  Accounts, all with the password ${demoPassword}:`)
  for (const { email, full_name, about } of demoPeople) say(`    ${email.padEnd(24)}${full_name}, ${about}`)
  say(`\n  Try:  curl -d username=${demoPeople[0]!.email} ${url}/api/v1/dev_fetch_api_key\n`)
}

function noOrganization(config: Config, start: string): string {
  return `  There is no organization yet. Set one up in a browser; the link works once, until the next start:
    ${start}

  Or on the command line, while the server runs:
    ${sameData(config)}${commandName} realm create --name "Example Ltd" --string-id example \\
      --owner-email you@example.com --owner-name "Your Name"
`
}

/** The environment variables that a command needs to use the data of this server. */
function sameData({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl !== undefined) return 'DATABASE_URL=… '
  return dataDir === resolve('./var') ? '' : `DATA_DIR=${dataDir} `
}
