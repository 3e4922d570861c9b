import { join } from 'node:path'
import { reachDatabase } from '../boot/open-database.ts'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import type { Problems } from '../operation/import/found-problems.ts'
import type { Importable } from '../operation/import/importable.ts'
import { type Report, reportLines, scanCounts } from '../operation/import/report.ts'
import type { ImportOptions } from '../operation/import/run.ts'
import { runImport } from '../operation/import/run-import.ts'
import { sources } from '../operation/import/sources.ts'
import { checkEmail } from '../people/users/profile/account-fields.ts'
import { type Archive, BadArchive } from '../platform/archives/foreign-archive.ts'
import { openArchive } from '../platform/archives/open-archive.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { withContext } from './open-context.ts'
import { startProgress } from './progress.ts'
import { checkHost, checkStringId } from './realms/create.ts'

export interface ImportParams {
  source: keyof typeof sources
  into: string
  dryRun?: boolean
  json?: boolean
  ownerEmail?: string
  roles?: boolean
  match?: string[]
  threads: ImportOptions['threads']
  host?: string
}

/** Imports a file of another program into a new organization, or what is new in it into the one of an earlier import. */
export async function importFrom(path: string, params: ImportParams): Promise<void> {
  checkStringId(params.into, '--into')
  if (params.host !== undefined) checkHost(params.host)
  if (params.ownerEmail !== undefined) checkEmail(params.ownerEmail)
  try {
    await importFile(path, params)
  } catch (error) {
    throw error instanceof BadArchive ? new StartupError(`Nothing was imported. ${error.message}`) : error
  }
}

async function importFile(path: string, params: ImportParams): Promise<void> {
  const program = sources[params.source]
  const folder = join(readConfig('production').dataDir, 'tmp')
  const archive = await openArchive(path, { main: program.main, folder })
  try {
    const scanned = await program.scan(archive, folder)
    try {
      if (params.dryRun) printScan(scanned.plan, params)
      else await withContext((ctx) => load(ctx, { file: scanned, archive, params }))
    } finally {
      await scanned.close()
    }
  } finally {
    await archive.close()
  }
}

function printScan(plan: Problems, { json }: ImportParams): void {
  const counts = scanCounts(plan)
  if (json) console.log(JSON.stringify({ ...counts, problems: plan.problems }))
  else for (const [name, count] of Object.entries(counts)) console.log(`${name}: ${count}`)
}

interface Scanned {
  file: Importable
  archive: Archive
  params: ImportParams
}

async function load(ctx: Context, { file, archive, params }: Scanned): Promise<void> {
  const { into, source, ownerEmail, roles, match, threads, json } = params
  const progress = startProgress('messages', file.count)
  const wanted = {
    stringId: into,
    name: (file.plan.name ?? into).slice(0, 40),
    host: await hostFor(ctx, params),
    source,
    digest: archive.digest,
    options: { ownerEmail: ownerEmail ?? null, roles: roles ?? false, match: match ?? [], threads },
  }
  const database = await reachDatabase(readConfig('production'), console.error)
  const imported = { file, url: database.url, progress: progress.add }
  const report = await runImport(ctx, wanted, imported).finally(progress.end).finally(database.close)
  print(report, into, json ?? false)
}

function print(report: Report | undefined, into: string, json: boolean): void {
  if (json) console.log(JSON.stringify(report ?? { organization: into, counts: { 'messages written': 0 } }))
  else if (report) for (const line of reportLines(report)) console.log(line)
  else console.log(`This file was imported into ${into} before. Nothing was added.`)
}

/** The only organization answers everywhere; others on a name in front of the server's. */
async function hostFor({ db, config }: Context, { host, into }: ImportParams): Promise<string | null> {
  if (host !== undefined) return host.toLowerCase()
  const other = await db.selectFrom('realms').select('id').where('string_id', '!=', into).limit(1).executeTakeFirst()
  if (!other) return null
  const { publicUrl } = config
  return `${into}.${publicUrl === undefined ? 'localhost' : new URL(publicUrl).host}`
}
