import { statfs } from 'node:fs/promises'
import type pg from 'pg'
import { findMissingMigrations, reachDatabase } from '../../boot/open-database.ts'
import type { Config } from '../../config.ts'
import { checkMailServer } from '../../delivery/mail/mailer.ts'
import { connectToPrimary } from '../../platform/db/database-hosts.ts'
import { openFileStore } from '../../platform/files/open-file-store.ts'
import { reasonOf } from '../../platform/postgres/startup-error.ts'
import { readCertificate } from '../../platform/tls-certificate.ts'
import { version } from '../../platform/version.ts'

/** What a check found. Problems end the command with exit code 1. */
export interface Finding {
  check: string
  result: 'ok' | 'problem' | 'not set'
  detail: string
}

type Check = (config: Config) => Promise<Omit<Finding, 'check'>>

const ok = (detail: string) => ({ result: 'ok', detail }) as const
const problem = (detail: string) => ({ result: 'problem', detail }) as const
const notSet = (detail: string) => ({ result: 'not set', detail }) as const

/** One after the other, so that each is named even if another one fails. */
export async function runChecks(config: Config): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [check, run] of Object.entries(checks))
    findings.push({ check, ...(await run(config).catch((error) => problem(reasonOf(error)))) })
  return findings
}

const checks: Record<string, Check> = {
  versions: checkVersions,
  database: (config) => onDatabase(config, checkDatabase),
  clock: (config) => onDatabase(config, checkClock),
  disk: checkDisk,
  files: async (config) => {
    await openFileStore(config, () => {}).checkWritable()
    return ok(config.files ? 'the bucket of FILES_URL can be written to' : 'the folder can be written to')
  },
  mail: async ({ smtpUrl, mailFrom }) => {
    if (smtpUrl === undefined) return notSet('without SMTP_URL, no email is sent')
    await checkMailServer(smtpUrl, mailFrom)
    return ok('the mail server accepts the sign-in; "parley mail test" sends an email')
  },
  tls: async ({ publicUrl }) => {
    if (publicUrl === undefined) return notSet('without PUBLIC_URL, links name the IP address of the server')
    const url = new URL(publicUrl)
    return url.protocol === 'https:' ? checkCertificate(url) : problem('PUBLIC_URL is not https')
  },
}

async function checkVersions(config: Config) {
  const programs = `Parley ${version}, Node ${process.versions.node}`
  const missing = await findMissingMigrations(config, () => {})
  if (missing?.length === 0) return ok(`${programs}; the database is up to date`)
  return problem(`${programs}; the database is not up to date: restart the server`)
}

/** Works with the database as its owner, whether or not a server is running. */
export async function onDatabase<T>(config: Config, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const database = await reachDatabase(config, () => {})
  try {
    const client = await connectToPrimary(database.url)
    return await work(client).finally(() => client.end())
  } finally {
    await database.close()
  }
}

async function checkDatabase(client: pg.Client) {
  const { rows } = await client.query(`
    select current_setting('server_version') as version, pg_size_pretty(pg_database_size(current_database())) as size`)
  return ok(`PostgreSQL ${rows[0].version}, ${rows[0].size}`)
}

const mostSecondsApart = 2

async function checkClock(client: pg.Client) {
  const before = Date.now()
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
  const middle = (before + Date.now()) / 2
  const seconds = Math.abs(rows[0]!.now.getTime() - middle) / 1000
  if (seconds <= mostSecondsApart) return ok('the clocks of this machine and of the database agree')
  return problem(`the clock of the database differs by ${Math.round(seconds)} s: synchronize both with NTP`)
}

const gigabyte = 1024 ** 3
const leastFree = gigabyte

async function checkDisk({ dataDir }: Config) {
  const { bavail, bsize, blocks } = await statfs(dataDir)
  const free = bavail * bsize
  const detail = `${(free / gigabyte).toFixed(1)} of ${((blocks * bsize) / gigabyte).toFixed(1)} GB are free for ${dataDir}`
  return free < leastFree ? problem(`only ${detail}`) : ok(detail)
}

const day = 86_400_000
const leastDays = 14

async function checkCertificate(url: URL) {
  const { valid_to } = await readCertificate(url)
  const days = Math.floor((new Date(valid_to).getTime() - Date.now()) / day)
  const detail = `the certificate of ${url.hostname} is valid for ${days} more days`
  return days < leastDays ? problem(`${detail}: renew it`) : ok(detail)
}
