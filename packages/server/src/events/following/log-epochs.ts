import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type pg from 'pg'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { maybeOne } from '../../platform/db/query.ts'

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

export interface EpochStart extends LogHead {
  /** The last event that exists in all epochs since the given one; null if there is no later epoch. */
  last_common_event: number | null
}

/** The end of a realm's log, and how much of it certainly existed in the given epoch. */
export function readEpoch(db: Db, realmId: number, since: number): Promise<EpochStart | undefined> {
  return maybeOne<EpochStart>(db)`
    select realm_id, last_event, epoch,
           (select min(after_event) from log_epochs e
             where e.realm_id = c.realm_id and e.epoch > ${since}) as last_common_event
      from realm_counters c where realm_id = ${realmId}`
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

/**
 * Begins a new epoch for a process that has seen other events than the log has: later ones, or other ones under the same
 * numbers. The first process acts.
 */
export async function restartLog(db: Database, known: LogHead, seen: 'later' | 'others'): Promise<void> {
  const isShorter = sql`and (epoch < ${known.epoch} or last_event < ${known.last_event})`
  await sql`
    select begin_epoch(array(select realm_id from realm_counters
                              where realm_id = ${known.realm_id} and epoch <= ${known.epoch}
                                    ${seen === 'later' ? isShorter : sql``} for update),
                       ${jump}, ${known.epoch}, ${known.last_event})`.execute(db)
}

/** Starts an epoch after a time in which no process was running: the database may have been restored. */
export async function beginEpoch(db: Database, realmId: number): Promise<void> {
  await sql`select begin_epoch(array[${realmId}::bigint], 1)`.execute(db)
}
