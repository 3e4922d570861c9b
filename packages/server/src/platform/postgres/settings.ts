import { randomBytes } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { here } from './run-program.ts'

/** Part of the socket's file name; no network port is opened. */
export const port = 5432

const megabyte = 1024 * 1024

/** Shares of the memory of the machine or container, suitable for a database that runs beside Parley itself. */
export function memorySettings(bytes: number): string {
  const share = (part: number, least: number, most: number) =>
    `${Math.round(Math.min(Math.max(bytes / part / megabyte, least), most))}MB`
  return `shared_buffers = ${share(16, 64, 1024)}
maintenance_work_mem = ${share(32, 64, 512)}
effective_cache_size = ${share(2, 512, 1_000_000)}`
}

/**
 * Written at every start, so that a new Parley version can improve them. ALTER SYSTEM settings of the operator are read
 * later and win.
 */
const defaults = (
  memory: number,
  major: number,
) => `# Written by Parley at every start. To change a setting use ALTER SYSTEM, which wins over this file.
include 'postgresql.conf'
max_connections = 60
superuser_reserved_connections = 3
${memorySettings(memory)}
work_mem = 8MB
huge_pages = off
${major >= 18 ? 'io_method = sync\n' : ''}jit = off
random_page_cost = 1.1
wal_compression = on
max_wal_size = 2GB
min_wal_size = 80MB
checkpoint_timeout = 15min
# An idle server should sleep: once a second instead of five times. Commits that count are flushed by ourselves, and as
# many pages a second are cleaned as by default.
wal_writer_delay = 1s
bgwriter_delay = 1s
bgwriter_lru_maxpages = 500
max_wal_senders = 4
max_slot_wal_keep_size = 4GB
autovacuum_max_workers = 2
autovacuum_vacuum_scale_factor = 0.1
autovacuum_analyze_scale_factor = 0.05
timezone = 'UTC'
log_timezone = 'UTC'
logging_collector = off
log_destination = 'stderr'
log_line_prefix = '%m [%p] '
log_checkpoints = off
`

const access = `# Written by Parley at every start: everybody needs the password, and nobody comes over the network.
local all all scram-sha-256
local replication all scram-sha-256
`

/** Settings that Parley relies on are on the command line, where nothing can override them. */
export function serverArguments(tag: string): string[] {
  const settings = {
    config_file: `${here}/parley.conf`,
    hba_file: `${here}/parley_hba.conf`,
    listen_addresses: '',
    // Relative to the data folder, so that PostgreSQL's path to it stays short however long DATA_DIR is.
    unix_socket_directories: '.',
    unix_socket_permissions: '0700',
    port: String(port),
    // Shown in the title of every process, by which a later start finds leftover processes.
    cluster_name: tag,
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    restart_after_crash: 'on',
  }
  return ['-D', here, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

export async function writeSettings(cluster: string, major: number): Promise<void> {
  await replaceReadable(join(cluster, 'parley.conf'), defaults(availableMemory(), major))
  await replaceReadable(join(cluster, 'parley_hba.conf'), access)
}

/** A container reports its limit; without a limit the number is huge or zero. */
function availableMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
}

/** Creates a file and renames it: the folder may belong to another user, whose links we must not follow. */
async function replaceReadable(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, text, { flag: 'wx', mode: 0o644 })
  await rename(draft, path)
}
