import type { Context } from '../../context.ts'
import { connectToPrimary } from '../../platform/db/database-hosts.ts'
import { connectWithLock } from '../../platform/db/pool.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import { findDifferences, type Written } from './find-differences.ts'
import type { Importable } from './importable.ts'
import { type Report, reportOf } from './report.ts'
import type { RunBase } from './run.ts'
import { buildSearchIndexes, dropSearchIndexes, importLock } from './search-indexes.ts'
import { beginImport, openTarget, type Target, type Wanted } from './target.ts'

export interface Imported {
  file: Importable
  /** Of the database, as its owner if possible. */
  url: string
  progress: (count: number) => void
}

/** One import at a time, because they would slow each other down. Writes what was scanned and opens the organization. Undefined if the file was imported before. */
export async function runImport(ctx: Context, wanted: Wanted, imported: Imported): Promise<Report | undefined> {
  const lock = await connectWithLock(ctx.pool, importLock)
  try {
    const target = await beginImport(ctx, wanted, imported.file.kept)
    return target && (await load(ctx, target, imported))
  } finally {
    lock.release(true)
  }
}

async function load(ctx: Context, target: Target, { url, progress, file }: Imported): Promise<Report> {
  const client = await connectToPrimary(url)
  try {
    await client.query('set statement_timeout = 0')
    const { realm } = await ctx.realms.get(target.realmId)
    const base: RunBase = { client, realm, importId: target.importId }
    await dropSearchIndexes(client, realm.id, file.count)
    const begun = { ...base, ctx, options: target.options, progress }
    const written = await file.write(begun).finally(() => buildSearchIndexes(client))
    await verify(base, file, written)
    const report = reportOf(realm, file)
    await openTarget(ctx, target, report)
    return report
  } finally {
    await client.end()
  }
}

async function verify(base: RunBase, { plan }: Importable, written: Written): Promise<void> {
  const differences = await findDifferences({ ...base, plan }, written)
  if (differences.length > 0)
    throw new StartupError(`The organization stays closed, because sums differ: ${differences.join('; ')}.`)
}
