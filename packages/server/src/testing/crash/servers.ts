import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../platform/postgres/embedded.ts'
import { freePort, Program } from './crashing-program.ts'
import { secretKey } from './harness.ts'

/** Starts a program on a database. */
export type StartProgram = (command: 'serve' | 'worker', env?: Record<string, string>) => Promise<Program>

export interface StartedDatabase {
  dataDir: string
  url: string
  program: StartProgram
}

/** The programs started on a database, for the duration of a test. */
export async function withPrograms<T>(
  url: string,
  dataDir: string,
  work: (program: StartProgram) => Promise<T>,
): Promise<T> {
  const programs: Program[] = []
  try {
    return await work(async (command, env = {}) => {
      const common = { DATABASE_URL: url, DATA_DIR: dataDir, SECRET_KEY: secretKey }
      const started = new Program(await freePort(), { ...common, ...env }, command)
      programs.push(started)
      await started.start()
      return started
    })
  } finally {
    for (const started of programs) await started.stop()
  }
}

/** A PostgreSQL for the duration of a test, and the programs started on it. */
export async function withPostgres<T>(work: (place: StartedDatabase) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-crash-'))
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} })
  const { url } = postgres
  try {
    return await withPrograms(url, dataDir, (program) => work({ dataDir, url, program }))
  } finally {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
