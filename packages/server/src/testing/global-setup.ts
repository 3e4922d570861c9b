import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../platform/db/migrating/migrate.ts'
import { createPool } from '../platform/db/pool.ts'
import { createServerRole } from '../platform/db/server-role.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../platform/postgres/embedded.ts'
import { startS3Server } from './peers/s3-server.ts'

let folder: string | undefined
let postgres: EmbeddedPostgres | undefined
let s3: Awaited<ReturnType<typeof startS3Server>> | undefined

/**
 * One PostgreSQL for the whole run, with a migrated database that each test file copies. PARLEY_TEST_FILES=s3: the tests
 * store files in an S3 server instead of a folder.
 */
export async function globalSetup(): Promise<void> {
  if (process.env.PARLEY_TEST_FILES === 's3') {
    s3 = await startS3Server()
    process.env.PARLEY_TEST_FILES_URL = s3.filesUrl
  }
  process.env.PARLEY_TEST_DATABASE ??= process.env.TEST_DATABASE_URL ?? (await startPostgres())
  const url = process.env.PARLEY_TEST_DATABASE
  await recreateTemplate(url)
  const pool = createPool({ url: databaseUrl(url, 'parley_template'), log: () => {} })
  await migrate(pool)
  process.env.PARLEY_TEST_SERVER = await createServerRole(pool, url)
  await pool.end()
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
  await s3?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
}

async function startPostgres(): Promise<string> {
  folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} })
  return postgres.url
}

async function recreateTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('drop database if exists parley_template')
  await client.query('create database parley_template')
  await client.end()
}

export function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.toString()
}
