import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { uploadPath } from '../conversations/uploads/paths.ts'
import { verifyChain } from '../operation/audit/verify.ts'
import type { BackupFolder, Base } from '../platform/backup/backup-folder.ts'
import { createDatabase, createPool, type Database } from '../platform/db/pool.ts'
import { many, one } from '../platform/db/query.ts'
import { startEmbeddedPostgres } from '../platform/postgres/embedded.ts'
import { reasonOf } from '../platform/postgres/startup-error.ts'
import { parseSecrets } from '../platform/secret-file.ts'
import { Vault } from '../platform/secrets.ts'
import type { Finding } from './checks/checks.ts'
import { type RestoreTarget, restoreDatabase } from './restore-database.ts'

interface Restored {
  folder: BackupFolder
  base: Base
  db: Database
}

/** Throws if something is wrong; else says what is in order. */
type Proof = (restored: Restored) => Promise<string>

const proofs: Record<string, Proof> = {
  tables: readTables,
  messages: countMessages,
  secrets: openSecrets,
  'audit log': verifyAudit,
  files: findFiles,
}

/** Restores a backup into a temporary folder, checks what came back, and deletes the folder. Changes nothing else. */
export async function drill(
  folder: BackupFolder,
  moment: Date | undefined,
  systemFolder: string | undefined,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const prove = async (check: string, run: () => Promise<string>) => {
    const finding = await run().then(
      (detail) => ({ result: 'ok', detail }) as const,
      (error: unknown) => ({ result: 'problem', detail: reasonOf(error) }) as const,
    )
    findings.push({ check, ...finding })
  }
  const base = await folder.baseFor(moment)
  await prove('copy', async () => {
    await folder.verify(base)
    return `all of the copy of ${base.taken_at} has the checksums that PostgreSQL made, and no later change is missing`
  })
  await prove('restore', async () => {
    await inRestored({ folder, base, moment, systemFolder }, async (restored) => {
      for (const [name, proof] of Object.entries(proofs)) await prove(name, () => proof(restored))
    })
    return 'the database started and replayed what changed since the copy'
  })
  return findings
}

async function inRestored(
  { folder, base, ...target }: { folder: BackupFolder; base: Base } & Omit<RestoreTarget, 'dataDir'>,
  work: (restored: Restored) => Promise<void>,
): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const place = await mkdtemp(join(tmpdir(), 'parley-drill-'))
  resources.defer(() => rm(place, { recursive: true, force: true, maxRetries: 5 }))
  await chmod(place, 0o711) // started by root, the database runs as another user
  const dataDir = join(place, 'data')
  await mkdir(dataDir)
  await chmod(dataDir, 0o711)
  await restoreDatabase(folder, base, { dataDir, ...target })
  const postgres = await startEmbeddedPostgres({ dataDir, systemFolder: target.systemFolder, log: () => {} })
  resources.defer(postgres.stop)
  const pool = createPool({ url: postgres.url, max: 1, log: () => {} })
  resources.defer(() => pool.end())
  await pool.query('set statement_timeout = 0')
  await work({ folder, base, db: createDatabase(pool) })
}

/** Every page is read, so that a damaged one is found. */
async function readTables({ db }: Restored): Promise<string> {
  const tables = await many<{ name: string }>(db)`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs')`
  let rows = 0
  for (const { name } of tables)
    rows += (await one<{ rows: number }>(db)`select count(*) as rows from ${sql.raw(name)}`).rows
  return `${rows} rows of ${tables.length} tables were read`
}

async function countMessages({ db }: Restored): Promise<string> {
  const { realms, users, messages, newest } = await one<{
    realms: number
    users: number
    messages: number
    newest: Date | null
  }>(db)`
    select (select count(*) from realms) as realms, (select count(*) from users where bot_type is null) as users,
           (select count(*) from messages) as messages, (select max(date_sent) from messages) as newest`
  const until = newest === null ? '' : `, the newest of ${newest.toISOString()}`
  return `${realms} organizations, ${users} accounts, ${messages} messages${until}`
}

async function openSecrets({ base, db }: Restored): Promise<string> {
  const { secret_key } = base.secrets
  const vault = new Vault(parseSecrets(secret_key) ?? [secret_key])
  const users = await db.selectFrom('users').select('api_key_sealed').execute()
  const closed = users.filter(({ api_key_sealed }) => vault.tryOpen(api_key_sealed) === undefined).length
  if (closed > 0)
    throw new Error(`${closed} of ${users.length} API keys cannot be opened with the secret of the backup`)
  return `${users.length} API keys were opened with the secret of the backup`
}

async function verifyAudit({ db }: Restored): Promise<string> {
  let rows = 0
  for (const { id, string_id } of await db.selectFrom('realms').select(['id', 'string_id']).execute()) {
    const verified = await verifyChain(db, id)
    if (verified.problem) throw new Error(`${string_id}: ${verified.problem}`)
    rows += verified.rows
  }
  return `${rows} rows, and no chain is broken`
}

async function findFiles({ folder, db }: Restored): Promise<string> {
  const sizes = new Map<string, number>()
  for await (const { path, size } of folder.files.list()) sizes.set(path, size)
  const files = await db.selectFrom('attachments').select(['path_id', 'size']).execute()
  const missing = files.filter(({ path_id, size }) => sizes.get(uploadPath(path_id)) !== size).length
  if (missing > 0) throw new Error(`${missing} of ${files.length} uploads are missing or have another size`)
  return `${files.length} uploads are there with their sizes`
}
