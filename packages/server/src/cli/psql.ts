import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { reachDatabase } from '../boot/open-database.ts'
import { readConfig } from '../config.ts'
import { errorCode, StartupError } from '../platform/postgres/startup-error.ts'

/** Opens psql on the database, whether or not a server is running. The embedded one runs until psql ends. */
export async function openPsql(args: string[]): Promise<void> {
  const database = await reachDatabase(readConfig('production'), (line) => console.error(line))
  const ignore = () => {} // Ctrl-C ends a statement of psql, not psql
  process.on('SIGINT', ignore)
  try {
    process.exitCode = await runPsql(database.url, args)
  } finally {
    process.off('SIGINT', ignore)
    await database.close()
  }
}

/** The password is in the environment: other users of the machine can read arguments. */
async function runPsql(url: string, args: string[]): Promise<number> {
  const { target, password } = splitPassword(url)
  const env = { ...process.env, ...(password !== undefined && { PGPASSWORD: password }) }
  const child = spawn('psql', [target, ...args], { stdio: 'inherit', env })
  try {
    const [code] = await once(child, 'exit')
    return code ?? 1
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    throw new StartupError('psql is not installed: on Debian and Ubuntu, apt install postgresql-client.', {
      cause: error,
    })
  }
}

/** Not with `URL`, which cannot read several hosts. */
function splitPassword(url: string): { target: string; password?: string } {
  const found = /^([a-z]+:\/\/[^:@/]*):([^@/]*)(@.*)$/s.exec(url)
  return found ? { target: found[1]! + found[3]!, password: decodeURIComponent(found[2]!) } : { target: url }
}
