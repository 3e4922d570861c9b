import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type pg from 'pg'
import { matches } from '../platform/db/matches.ts'
import type { Database, Db } from '../platform/db/pool.ts'
import { maybeOne } from '../platform/db/query.ts'

/** More than any lagging standby lacks. Beyond that, the number of the last known event counts. */
const jump = 1_000_000

export interface LogHead {
  realm_id: number
  last_event: number
  epoch: number
}

export function readHeads(db: Db, realmIds: number[]): Promise<LogHead[]> {
  const heads = db.selectFrom('realm_counters').select(['realm_id', 'last_event', 'epoch'])
  return heads.where(matches({ realm_id: realmIds })).execute()
}

/** The last event of a realm that has certainly existed in all epochs since the given one. */
export async function lastCommonEvent(db: Db, realmId: number, epoch: number): Promise<number> {
  const row = await maybeOne<{ after_event: number | null }>(db)`
    select min(after_event) as after_event from log_epochs where realm_id = ${realmId} and epoch > ${epoch}`
  return row?.after_event ?? Number.POSITIVE_INFINITY
}

/** Every new connection checks whether it leads to the same copy of the database, before anything is written there. */
export async function checkHistory(client: pg.ClientBase): Promise<void> {
  await client.query('select check_history()')
}

/** The embedded database was restored by copying its folder: the file is another one, with the same content. */
export async function checkDataFolder(db: Database, dataDir: string): Promise<void> {
  const { ino, birthtimeMs } = await stat(join(dataDir, 'postgres', 'PG_VERSION'))
  await sql`select check_data_folder(${`${ino} ${birthtimeMs}`})`.execute(db)
}

/** A process that has seen later events, or a later epoch, than the log has, begins a new epoch. The first one acts. */
export async function restartLog(db: Database, known: LogHead): Promise<void> {
  await sql`
    select begin_epoch(array(select realm_id from realm_counters
                              where realm_id = ${known.realm_id} and epoch <= ${known.epoch} for update),
                       ${jump}, ${known.epoch}, ${known.last_event})`.execute(db)
}

/** Starts an epoch after a time in which no process was running: the database may have been restored. */
export async function beginEpoch(db: Database, realmId: number): Promise<void> {
  await sql`select begin_epoch(array[${realmId}::bigint], 1)`.execute(db)
}
