import type { Db } from '../../platform/db/pool.ts'
import { maybeOne, one } from '../../platform/db/query.ts'

/** The state of a realm's chain. */
export interface Verification {
  rows: number
  /** In hexadecimal. If an operator writes it down elsewhere, nothing before it can be changed without being found. */
  hash: string
  /** Where the chain breaks. */
  problem?: string
}

/** Computes the whole chain of a realm again. */
export async function verifyChain(db: Db, realmId: number): Promise<Verification> {
  const end = await one<{ rows: number; hash: string; number: number | null; last: string | null }>(db)`
    select (select count(*) from audit_log where realm_id = ${realmId}) as rows,
           coalesce((select encode(hash, 'hex') from audit_chains where realm_id = ${realmId}), '') as hash,
           (select number from audit_chains where realm_id = ${realmId}) as number,
           (select encode(hash, 'hex') from audit_log where realm_id = ${realmId} order by number desc limit 1) as last`
  const state = { rows: end.rows, hash: end.hash }
  const broken = await firstBrokenRow(db, realmId)
  if (broken !== undefined)
    return { ...state, problem: `Row ${broken} was changed, inserted, or follows a removed row.` }
  if (end.rows !== (end.number ?? 0) || (end.last ?? '') !== end.hash)
    return { ...state, problem: `Rows were removed from the end: there are ${end.rows} of ${end.number ?? 0}.` }
  return state
}

/** The first row whose number or hash does not follow from the row before it. */
async function firstBrokenRow(db: Db, realmId: number): Promise<number | undefined> {
  const row = await maybeOne<{ number: number }>(db)`
    with chain as (
      select l as entry, l.number, l.hash, lag(l.hash) over w as previous, row_number() over w as expected
        from audit_log l where l.realm_id = ${realmId} window w as (order by l.number, l.id)
    )
    select number from chain
     where number <> expected or hash <> audit_hash(coalesce(previous, ''), entry)
     order by number limit 1`
  return row?.number
}
