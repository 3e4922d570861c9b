import type { Context } from '../../context.ts'
import type { Archive } from '../../platform/archives/foreign-archive.ts'
import { connectToPrimary } from '../../platform/db/database-hosts.ts'
import { connectWithLock } from '../../platform/db/pool.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import { findDifferences, type Written } from './find-differences.ts'
import { importPlaces } from './import-channels.ts'
import { importPeople } from './import-people.ts'
import { Loading } from './load.ts'
import { importAvatars, importEmoji } from './pictures.ts'
import { type Report, reportOf } from './report.ts'
import type { Run } from './run.ts'
import type { Plan } from './scan.ts'
import { buildSearchIndexes, dropSearchIndexes, importLock } from './search-indexes.ts'
import type { Source } from './source.ts'
import { beginImport, openTarget, type Target, type Wanted } from './target.ts'

export interface Imported {
  source: Source
  archive: Archive
  plan: Plan
  /** Of the database, as its owner if possible. */
  url: string
  progress: (count: number) => void
}

/** One import at a time, because they would slow each other down. Writes what was scanned and opens the organization. Undefined if the file was imported before. */
export async function runImport(ctx: Context, wanted: Wanted, imported: Imported): Promise<Report | undefined> {
  const lock = await connectWithLock(ctx.pool, importLock)
  try {
    const target = await beginImport(ctx, wanted)
    return target && (await load(ctx, target, imported))
  } finally {
    lock.release(true)
  }
}

async function load(ctx: Context, target: Target, { url, progress, ...imported }: Imported): Promise<Report> {
  const client = await connectToPrimary(url)
  try {
    await client.query('set statement_timeout = 0')
    const { realm } = await ctx.realms.get(target.realmId)
    const run: Run = {
      ...imported,
      ...{ ctx, client, realm, importId: target.importId, options: target.options },
      ...{ people: new Map(), channels: new Map(), emoji: new Map(), members: new Set() },
    }
    await dropSearchIndexes(client, realm.id, run.plan.messages.count)
    const written = await write(run, progress).finally(() => buildSearchIndexes(client))
    await verify(run, written)
    const report = reportOf(run)
    await openTarget(ctx, target, report)
    return report
  } finally {
    await client.end()
  }
}

async function write(run: Run, progress: (count: number) => void): Promise<Written> {
  const created = await importPeople(run)
  await importEmoji(run)
  await importAvatars(run, created)
  await importPlaces(run)
  const loading = new Loading(run, progress)
  await loading.run()
  await storeProblems(run)
  return loading.written
}

async function verify(run: Run, written: Written): Promise<void> {
  const differences = await findDifferences(run, written)
  if (differences.length > 0)
    throw new StartupError(`The organization stays closed, because sums differ: ${differences.join('; ')}.`)
}

async function storeProblems({ client, realm, importId, plan: { problems } }: Run): Promise<void> {
  await client.query(
    `insert into import_problems (realm_id, import_id, number, kind, place, error)
     select $1, $2, number, kind, place, error
       from unnest($3::text[], $4::text[], $5::text[]) with ordinality as one(kind, place, error, number)
         on conflict do nothing`,
    [
      realm.id,
      importId,
      problems.map(({ kind }) => kind),
      problems.map(({ place }) => place),
      problems.map(({ error }) => error),
    ],
  )
}
