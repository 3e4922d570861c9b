import type pg from 'pg'

/** The name under which our backup receives the WAL. */
export const backupApplication = 'parley-backup'

/** They only copy: nobody fails over to them. */
const backups = ['pg_basebackup', 'pg_receivewal', backupApplication]

/**
 * Warns of a standby for which commits do not wait. Without the right to read statistics, `sync_state` is null and only
 * the setting tells.
 */
export async function warnOfAsynchronousStandby(pool: pg.Pool): Promise<string | undefined> {
  const { rows } = await pool.query(
    `
    select from pg_stat_replication
     where application_name <> all($1::text[])
       and (sync_state = 'async' or current_setting('synchronous_commit') = 'local'
            or sync_state is null and current_setting('synchronous_standby_names') = '')
     limit 1`,
    [backups],
  )
  return rows.length === 0
    ? undefined
    : 'A standby of the database is asynchronous: failing over to it can lose messages that were acknowledged.'
}
