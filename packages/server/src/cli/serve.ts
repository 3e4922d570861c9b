import { flushCompileCache } from 'node:module'
import { type Config, readConfig } from '../config.ts'
import type { Say } from '../database.ts'
import { type RunningServer, startServer } from '../main.ts'
import { demoPassword, demoPeople } from '../setup/demo-content.ts'
import { fail } from './fail.ts'

/** Ctrl-C under npm arrives twice, from the terminal and from npm. Only what comes later is impatience. */
const impatientAfter = 1000
const longestStop = 14_000

const say: Say = (line) => console.log(line)

/** Runs the server until it is told to stop. */
export async function serve(mode: Config['mode']): Promise<void> {
  const end = awaitEnd()
  const config = readConfig(mode)
  say('Parley is starting …')
  const server = await startServer(config, say)
  await greet(server, config)
  flushCompileCache() // what a killed server has compiled is kept as well
  const code = await end
  await server.close().catch(fail)
  say('Parley has stopped.')
  process.exit(code)
}

/** The exit code, once there is a reason to end. A server that cannot finish in time is ended all the same. */
function awaitEnd(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  let since: number | undefined
  const end = (code: number) => {
    if (since !== undefined && performance.now() - since > impatientAfter) process.exit(1)
    since ??= performance.now()
    setTimeout(() => process.exit(code), longestStop).unref()
    resolve(code)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end(0))
  for (const bug of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(bug, (error) => {
      console.error('Parley ends because of a bug:', error)
      end(1)
    })
  // Whoever read what we print may go away.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return promise
}

async function greet({ url, ctx, database }: RunningServer, config: Config): Promise<void> {
  say(`\nParley is running at ${config.publicUrl ?? url}\n`)
  if (config.mode === 'demo') greetDemo(url)
  else if (!(await ctx.db.selectFrom('realms').select('id').limit(1).executeTakeFirst())) say(noOrganization)
  say(`  Data: ${database.place}`)
  say('  Stop: Ctrl-C, or SIGTERM\n')
}

function greetDemo(url: string): void {
  say(`  Accounts, all with the password ${demoPassword}:`)
  for (const { email, full_name, about } of demoPeople) say(`    ${email.padEnd(24)}${full_name}, ${about}`)
  say(`\n  Try:  curl -d username=${demoPeople[0]!.email} ${url}/api/v1/dev_fetch_api_key\n`)
}

const noOrganization = `  There is no organization yet. Make one, and its owner, while the server runs:
    npm run parley -- realm create --name "Example Ltd" --string-id example \\
      --owner-email you@example.com --owner-name "Your Name"
`
