// Writes the TypeScript types of the tables and docs/schema.sql, from the migrations: npm run tables
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../packages/server/src/platform/db/migrating/migrate.ts'
import { createPool } from '../../packages/server/src/platform/db/pool.ts'
import { startEmbeddedPostgres } from '../../packages/server/src/platform/postgres/embedded.ts'
import { describeSchema } from './describe-schema.ts'

const folder = await mkdtemp(join(tmpdir(), 'parley-tables-'))
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: console.log })
try {
  const pool = createPool({ url: postgres.url, log: console.error })
  await migrate(pool)
  await writeFile(join(import.meta.dirname, '../../docs/schema.sql'), await describeSchema(pool))
  await pool.end()
  const codegen = join(import.meta.dirname, '../../node_modules/.bin/kysely-codegen')
  execFileSync(process.execPath, [codegen, '--url', postgres.url, '--config-file', '.kysely-codegenrc.json'], {
    stdio: 'inherit',
  })
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
