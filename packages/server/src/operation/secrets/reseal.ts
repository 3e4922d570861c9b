import type pg from 'pg'
import type { Vault } from '../../platform/secrets.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'

interface Deps {
  pool: pg.Pool
  vault: Vault
}

interface SealedRow {
  place: string
  sealed: Buffer
}

const rowsAtOnce = 1000

/** Seals everything with the current key. Returns how many values changed, and how many no key can open. */
export async function resealAll(deps: Deps): Promise<{ resealed: number; unreadable: number }> {
  const total = { resealed: 0, unreadable: 0 }
  for (const one of sealedColumns) {
    let pass = await resealColumn(deps, one)
    total.unreadable += pass.unreadable
    // A row that is changed by others moves within its table and may be missed: repeated until there is none.
    for (; pass.resealed > 0; pass = await resealColumn(deps, one)) total.resealed += pass.resealed
  }
  return total
}

async function resealColumn({ pool, vault }: Deps, { table, column }: SealedColumn) {
  const total = { resealed: 0, unreadable: 0 }
  for await (const rows of batchesOf(pool, { table, column })) {
    const old = rows.filter(({ sealed }) => !vault.isCurrent(sealed))
    const readable = old.flatMap((row) => renewed(vault, row))
    total.unreadable += old.length - readable.length
    // Only if it is still the value that was read: its owner may have replaced it.
    const { rowCount } = await pool.query(
      `update ${table} t set ${column} = v.renewed
         from unnest($1::tid[], $2::bytea[], $3::bytea[]) v (place, sealed, renewed)
        where t.ctid = v.place and t.${column} = v.sealed`,
      [
        readable.map(({ place }) => place),
        readable.map(({ sealed }) => sealed),
        readable.map(({ renewed }) => renewed),
      ],
    )
    total.resealed += rowCount ?? 0
  }
  return total
}

function renewed(vault: Vault, row: SealedRow): (SealedRow & { renewed: Buffer })[] {
  const text = vault.tryOpen(row.sealed)
  return text === undefined ? [] : [{ ...row, renewed: vault.seal(text) }]
}

/** The values of a column in the order of their places on the disk. */
export async function* batchesOf(pool: pg.Pool, { table, column }: Pick<SealedColumn, 'table' | 'column'>) {
  let last = '(0,0)'
  for (;;) {
    const { rows } = await pool.query<SealedRow>(
      `select ctid::text as place, ${column} as sealed from ${table}
        where ctid > $1::tid and ${column} is not null order by ctid limit ${rowsAtOnce}`,
      [last],
    )
    if (rows.length > 0) yield rows
    if (rows.length < rowsAtOnce) return
    last = rows.at(-1)!.place
  }
}

/** How many values of each kind no key can open. */
export async function countUnreadable({ pool, vault }: Deps): Promise<(SealedColumn & { count: number })[]> {
  const found = []
  for (const one of sealedColumns) {
    let count = 0
    for await (const rows of batchesOf(pool, one))
      count += rows.filter(({ sealed }) => vault.tryOpen(sealed) === undefined).length
    if (count > 0) found.push({ ...one, count })
  }
  return found
}
