import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../platform/postgres/embedded.ts'
import { freePort, Program } from './crashing-program.ts'
import { secretKey } from './harness.ts'

export interface Place {
  dataDir: string
  url: string
  /** Starts a program on this database. */
  program(command: 'serve' | 'worker', env?: Record<string, string>): Promise<Program>
}

/** A PostgreSQL for the duration of a test, and the programs started on it. */
export async function withPostgres<T>(work: (place: Place) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-crash-'))
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} })
  const programs: Program[] = []
  const program: Place['program'] = async (command, env = {}) => {
    const common = { DATABASE_URL: postgres.url, DATA_DIR: dataDir, SECRET_KEY: secretKey }
    const started = new Program(await freePort(), { ...common, ...env }, command)
    programs.push(started)
    await started.start()
    return started
  }
  try {
    return await work({ dataDir, url: postgres.url, program })
  } finally {
    for (const started of programs) await started.stop()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
