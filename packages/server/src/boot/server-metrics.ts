import { statfs } from 'node:fs/promises'
import type pg from 'pg'
import { Gauge, type Registry } from 'prom-client'
import type { Config } from '../config.ts'
import type { Follower } from '../events/following/follower.ts'
import { observeShared } from '../platform/shared-figures.ts'
import { readCertificate } from '../platform/tls-certificate.ts'
import { version } from '../platform/version.ts'

interface Observed {
  registry: Registry
  pool: pg.Pool
  follower: Follower
  config: Pick<Config, 'dataDir' | 'publicUrl'>
}

/** What operators watch besides requests and jobs. */
export function observeServer({ registry, pool, follower, config }: Observed): void {
  observePool(registry, pool)
  observeLag(registry, follower)
  observeBuild(registry)
  observeShared(registry, contents, () => readContents(pool))
  observeShared(registry, disk, () => readDisk(config.dataDir))
  observeShared(registry, certificate, certificateReader(config.publicUrl))
}

function observePool(registry: Registry, pool: pg.Pool): void {
  new Gauge({
    name: 'parley_database_connections',
    help: 'Connections to the database.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
    },
  })
  new Gauge({
    name: 'parley_database_waiting',
    help: 'Statements that wait for a connection.',
    registers: [registry],
    collect() {
      this.set(pool.waitingCount)
    },
  })
}

function observeLag(registry: Registry, follower: Follower): void {
  new Gauge({
    name: 'parley_event_lag_seconds',
    help: 'How long ago a process last knew that it has read all events; a few seconds when all is well.',
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.set(follower.lagSeconds)
    },
  })
}

function observeBuild(registry: Registry): void {
  const build = { version, node: process.versions.node }
  new Gauge({
    name: 'parley_build_info',
    help: 'The version that runs; always 1.',
    labelNames: Object.keys(build),
    aggregator: 'max',
    registers: [registry],
  }).set(build, 1)
}

const contents = {
  parley_users: 'Active accounts of people.',
  parley_event_queues: 'Event queues, one for each client that is connected or was a short while ago.',
  parley_backup_age_seconds: 'How old the last backup by "parley backup" is; 0 while one follows every change.',
  parley_maintenance: 'Whether nothing can be changed at present.',
}

async function readContents(pool: pg.Pool) {
  const { rows } = await pool.query<Record<keyof typeof contents, number | null>>(`
    select (select count(*) from users where is_active and bot_type is null)::int as parley_users,
           (select count(*) from queues)::int as parley_event_queues,
           case when exists (select from pg_replication_slots where slot_name = 'parley_backup' and active) then 0
                else extract(epoch from now() - backed_up_at)::float8 end as parley_backup_age_seconds,
           (maintenance is not null)::int as parley_maintenance
      from server_settings`)
  return rows[0]!
}

const disk = {
  parley_disk_free_bytes: 'Free space where DATA_DIR is.',
  parley_disk_size_bytes: 'All space where DATA_DIR is.',
}

async function readDisk(dataDir: string) {
  const { bavail, bsize, blocks } = await statfs(dataDir)
  return { parley_disk_free_bytes: bavail * bsize, parley_disk_size_bytes: blocks * bsize }
}

const certificate = {
  parley_certificate_expiry_timestamp_seconds:
    'When the certificate of PUBLIC_URL expires; missing if it cannot be read or is not trusted.',
}
const certificateMilliseconds = 3_600_000

/** Asks at most once an hour, and for the first time when the metrics are read. */
function certificateReader(publicUrl: string | undefined) {
  let known: Promise<{ parley_certificate_expiry_timestamp_seconds?: number }> | undefined
  let readAt = 0
  return () => {
    if (!publicUrl?.startsWith('https:')) return Promise.resolve({})
    if (!known || performance.now() - readAt > certificateMilliseconds) {
      readAt = performance.now()
      known = readCertificate(new URL(publicUrl)).then(({ valid_to }) => ({
        parley_certificate_expiry_timestamp_seconds: new Date(valid_to).getTime() / 1000,
      }))
      known.catch(() => {}) // reported as missing
    }
    return known
  }
}
