import { access, type FileHandle, open, rename, rm } from 'node:fs/promises'
import { transactIn } from '../context.ts'
import { makeArchive } from '../operation/export/making.ts'
import { type ExportKind, exportKinds, type Limit } from '../operation/export/scope.ts'
import { matches } from '../platform/db/matches.ts'
import type { Db } from '../platform/db/pool.ts'
import { emailKey } from '../platform/emails.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { findRealm, withContext } from './open-context.ts'

interface ExportOptions {
  type: ExportKind
  realm?: string
  users?: string[]
  since?: string
}

/** Writes the same export as the API, without its limits; or a full one, which the API does not offer. */
export async function exportTo(file: string, options: ExportOptions): Promise<void> {
  checkLimits(options)
  if (await exists(file)) throw new StartupError(`${file} already exists: choose another file, or delete it.`)
  await writeWhole(file, (handle) => writeExport(handle, options))
  console.log(`Wrote ${file}, which only you can read.`)
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/**
 * Written to a temporary file and renamed, so that the final file is always complete. Creating it first shows early
 * whether it can be written.
 */
async function writeWhole(file: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const aside = `${file}.unfinished`
  const handle = await open(aside, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'an export that is running, or was killed, has it' : error.code
    throw new StartupError(`${aside} cannot be created (${why}).`)
  })
  try {
    await write(handle)
    await handle.sync()
    await rename(aside, file)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

function writeExport(handle: FileHandle, { type, realm: stringId, users, since }: ExportOptions): Promise<void> {
  return withContext(async (ctx) => {
    const realm = await findRealm(ctx.db, stringId)
    const limit = await readLimit(ctx.db, realm.id, users, since)
    const export_type = exportKinds[type]
    console.log(`Exporting ${realm.name} (${type}):`)
    await transactIn(ctx, realm.id, (tx) => tx.audit(null, 'export_written', { export_type, ...limit }))
    await makeArchive(
      ctx,
      realm.id,
      export_type,
      (content) => handle.writeFile(content),
      (line) => console.log(`  ${line}`),
      limit,
    )
  })
}

function checkLimits({ type, users, since }: ExportOptions): void {
  if (type !== 'full' && (users !== undefined || since !== undefined))
    throw new StartupError('--users and --since need --type full.')
  if (since !== undefined && Number.isNaN(Date.parse(since)))
    throw new StartupError(`--since must be a date such as 2026-01-31, not "${since}".`)
}

async function readLimit(db: Db, realmId: number, emails?: string[], since?: string): Promise<Limit | null> {
  if (emails === undefined && since === undefined) return null
  const users = emails === undefined ? null : await Promise.all(emails.map((email) => findUserId(db, realmId, email)))
  return { users, since: since === undefined ? null : new Date(since) }
}

async function findUserId(db: Db, realmId: number, email: string): Promise<number> {
  const named = matches({ realm_id: realmId, email_key: emailKey(email.trim()) })
  const user = await db.selectFrom('users').select('id').where(named).executeTakeFirst()
  if (!user) throw new StartupError(`Nobody has the email ${email}.`)
  return user.id
}
