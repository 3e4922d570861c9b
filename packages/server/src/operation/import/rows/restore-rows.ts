import type { Context } from '../../../context.ts'
import type { Archive } from '../../../platform/archives/foreign-archive.ts'
import type { Problems } from '../found-problems.ts'
import { chunksOf, findMapped, type ImportOptions, inTransaction, type RunBase, storeMapped } from '../run.ts'
import { type IdKind, type Ids, idTables } from './ids.ts'
import type { OpenRows, SectionName } from './row-source.ts'
import { idIn, jsonOf, type Row } from './row-values.ts'

/** An import of rows while it is being written. */
export interface RowRun extends RunBase {
  ctx: Context
  archive: Archive
  open: OpenRows
  plan: Problems
  options: ImportOptions
  ids: Ids
  /** Whether everything keeps its id, because no other organization exists. */
  keepsIds: boolean
  /** Whether the organization was empty: settings are those of the file. */
  isNew: boolean
  /** Users whose names our limits do not allow, by id here. */
  renamed: Map<number, string>
}

export type NewRow = Record<string, unknown>

const rowsAtOnce = 1000

/** All rows of a section. For those that are in memory as a whole: not messages and what belongs to them. */
export async function rowsOf({ open }: RowRun, section: SectionName): Promise<Row[]> {
  return Array.fromAsync(open.rows(section))
}

/** Inserts rows in the columns of a table, and returns the ids of those that conflict with nothing. */
export async function insertRows({ client, realm }: RowRun, table: string, rows: NewRow[]): Promise<number[]> {
  if (rows.length === 0) return []
  const columns = ['realm_id', ...Object.keys(rows[0]!)].join()
  const returned = 'id' in rows[0]! ? 'id' : 'realm_id as id'
  const { rows: inserted } = await client.query<{ id: number }>(
    `insert into ${table} (${columns}) overriding system value
     select ${columns} from jsonb_populate_recordset(null::${table}, $1) on conflict do nothing returning ${returned}`,
    [jsonOf(rows.map((row) => ({ realm_id: realm.id, ...row })))],
  )
  return inserted.map(({ id }) => Number(id))
}

/** Restores rows without ids. One that refers to nothing is listed. */
export async function restorePlain(
  run: RowRun,
  section: SectionName,
  table: string,
  record: (row: Row) => NewRow | Promise<NewRow>,
): Promise<void> {
  let batch: NewRow[] = []
  const store = async () => {
    const rows = batch
    batch = []
    await inTransaction(run, () => insertRows(run, table, rows))
  }
  for await (const row of run.open.rows(section)) {
    const made = await attempt(run, section, row, record)
    if (made) batch.push(made)
    if (batch.length >= rowsAtOnce) await store()
  }
  await store()
}

async function attempt<T>(
  { plan }: RowRun,
  section: string,
  row: Row,
  record: (row: Row) => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await record(row)
  } catch (error) {
    const which = Object.entries(row)
      .filter(([name, value]) => /(^|_)id$/.test(name) && typeof value === 'number')
      .map(([name, value]) => ` ${name} ${String(value)}`)
    plan.problem({ kind: 'dropped', place: `${section}${which.join()}`, error: (error as Error).message })
    return undefined
  }
}

/**
 * Restores rows with ids. All get their new ids before the first is written, so they can refer to each other. What an
 * earlier import has written stays as it is. Returns the rows that are new in this import, also those that an interrupted
 * part of it has written.
 */
export async function restoreWithIds(
  run: RowRun,
  kind: IdKind,
  section: string,
  rows: Row[],
  record: (row: Row, id: number) => NewRow | Promise<NewRow>,
): Promise<Row[]> {
  const { fresh, earlier } = await assignIds(run, kind, section, rows)
  const written = earlier
  for (const some of chunksOf(fresh, rowsAtOnce)) written.push(...(await insertSome(run, kind, section, some, record)))
  return written
}

async function assignIds(run: RowRun, kind: IdKind, section: string, rows: Row[]) {
  const [fresh, earlier]: [Row[], Row[]] = [[], []]
  const seen = new Set<unknown>()
  for (const some of chunksOf(rows, rowsAtOnce)) {
    const valid: Row[] = []
    for (const row of some) if (await attempt(run, section, row, () => checkId(row, seen))) valid.push(row)
    const known = await findMapped(run, kind, valid.map(keyOf))
    const unknown = valid.filter((row) => !known.has(keyOf(row)))
    const ids = run.keepsIds ? unknown.map(({ id }) => id as number) : await reserve(run, kind, unknown.length)
    for (const row of valid) {
      const mapped = known.get(keyOf(row))
      if (mapped) run.ids.set(kind, row.id as number, mapped.id)
      if (mapped?.importId === run.importId) earlier.push(row)
    }
    for (const [index, { id }] of unknown.entries()) run.ids.set(kind, id as number, ids[index]!)
    fresh.push(...unknown)
  }
  return { fresh, earlier }
}

/** By what a later file knows it: its id, unless the adapter has made that up. */
function keyOf({ id, key }: Row): string {
  return typeof key === 'string' ? key : String(id)
}

function checkId({ id }: Row, seen: Set<unknown>): true {
  idIn(id, 'its id')
  if (seen.has(id)) throw new Error('its id occurs twice')
  seen.add(id)
  return true
}

export async function reserve({ client }: RowRun, kind: IdKind, count: number): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `select nextval(pg_get_serial_sequence($1, 'id')) as id from generate_series(1, $2)`,
    [idTables[kind], count],
  )
  return rows.map(({ id }) => Number(id))
}

async function insertSome(
  run: RowRun,
  kind: IdKind,
  section: string,
  rows: Row[],
  record: (row: Row, id: number) => NewRow | Promise<NewRow>,
): Promise<Row[]> {
  const made = new Map<number, { row: Row; values: NewRow }>()
  for (const row of rows) {
    const id = run.ids.need(kind, row.id)
    try {
      made.set(id, { row, values: { id, ...(await record(row, id)) } })
    } catch (error) {
      drop(run, kind, section, row, (error as Error).message)
    }
  }
  return inTransaction(run, async () => {
    const inserted = new Set(
      await insertRows(
        run,
        idTables[kind],
        [...made.values()].map(({ values }) => values),
      ),
    )
    for (const [id, { row }] of made)
      if (!inserted.has(id)) drop(run, kind, section, row, 'there is another one like it')
    const written = [...made].filter(([id]) => inserted.has(id))
    await storeMapped(
      run,
      (text, values) => run.client.query(text, values),
      kind,
      written.map(([id, { row }]) => [keyOf(row), id]),
    )
    return written.map(([, { row }]) => row)
  })
}

function drop({ plan, ids }: RowRun, kind: IdKind, section: string, { id }: Row, error: string): void {
  ids.remove(kind, id as number)
  plan.problem({ kind: 'dropped', place: `${section} ${String(id)}`, error })
}

/** Lets new things be numbered after those that kept their ids. */
export async function advanceSequences({ client }: RowRun): Promise<void> {
  for (const table of ['realms', ...Object.values(idTables)])
    await client.query(
      `select setval(pg_get_serial_sequence($1, 'id'), greatest((select max(id) from ${table}), nextval(pg_get_serial_sequence($1, 'id'))))`,
      [table],
    )
}
