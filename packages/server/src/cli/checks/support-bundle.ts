import { writeFile } from 'node:fs/promises'
import { availableParallelism, release, totalmem } from 'node:os'
import { resolve } from 'node:path'
import type pg from 'pg'
import { describeConfig } from '../../boot/describe-config.ts'
import { type Config, readConfig } from '../../config.ts'
import { reasonOf, StartupError } from '../../platform/postgres/startup-error.ts'
import { version } from '../../platform/version.ts'
import { onDatabase, runChecks } from './checks.ts'

/** Writes one file about the server for those who help: no secrets, no messages, no names of people or channels. */
export async function writeSupportBundle(typed: string | undefined): Promise<void> {
  const config = readConfig('production')
  const now = new Date().toISOString()
  const path = resolve(typed ?? `parley-support-${now.slice(0, 19).replaceAll(':', '-')}.json`)
  const text = JSON.stringify(await bundle(config, now), null, 2)
  await writeFile(path, `${text}\n`, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    throw new StartupError(`${path} cannot be written (${reasonOf(error)}): name a new file in a folder of yours.`)
  })
  console.log(`Wrote ${path}. It has no secrets and no messages; read it before you pass it on, and add the log.`)
}

async function bundle(config: Config, time: string): Promise<object> {
  const checks = await runChecks(config)
  return {
    time,
    version,
    machine: {
      node: process.versions.node,
      kind: `${process.platform} ${process.arch} ${release()}`,
      cores: availableParallelism(),
      memory: totalmem(),
    },
    config: describeConfig(config),
    checks: checks.map((finding) => ({ ...finding, detail: masked(finding.detail) })),
    database: await readDatabase(config).catch((error: unknown) => masked(reasonOf(error))),
  }
}

const queries = {
  settings: `select name, setting, source from pg_settings
    where source not in ('default', 'client', 'session') and name not like '%conninfo' and name not like 'ssl%' order by name`,
  migrations: 'select name, applied_at from migrations order by name',
  tables: `select relname as name, reltuples::bigint as rows, pg_total_relation_size(oid) as bytes
    from pg_class where relkind = 'r' and relnamespace in ('public'::regnamespace, 'jobs'::regnamespace) order by bytes desc`,
  processes: 'select serves, seen_at from processes order by seen_at',
  jobs: `select task, attempts, max_attempts, run_at, locked_at, last_error as error from jobs.jobs
    where attempts > 0 order by run_at desc limit 200`,
}

async function readDatabase(config: Config): Promise<object> {
  return onDatabase(config, async (client) => {
    const parts: [string, unknown][] = []
    for (const [name, query] of Object.entries(queries)) parts.push([name, await readPart(client, query)])
    return Object.fromEntries(parts)
  })
}

async function readPart(client: pg.Client, query: string): Promise<unknown> {
  const { rows } = await client.query<Record<string, unknown>>(query)
  return rows.map(({ error, ...row }) => (typeof error === 'string' ? { ...row, error: masked(error) } : row))
}

const longestWord = 30

/** Errors quote what users typed: email addresses, URLs with passwords, keys. */
function masked(text: string): string {
  const words = text.split(/\s+/).slice(0, 100)
  return words.map((word) => (word.length > longestWord || /[@/\\]/.test(word) ? '…' : word)).join(' ')
}
