import { allAuditRows } from '../operation/audit/queries.ts'
import { type Verification, verifyChain } from '../operation/audit/verify.ts'
import type { Database } from '../platform/db/pool.ts'
import { findRealm, withDatabase } from './open-context.ts'

/** Checks the audit log of one or all organizations. The exit code is 1 if a chain is broken. */
export async function verifyAuditLog({ realm }: { realm?: string }): Promise<void> {
  const found = await withDatabase((db) => verifyRealms(db, realm))
  for (const { string_id, rows, hash, problem } of found)
    console.log(
      problem ? `${string_id}: BROKEN. ${problem}` : `${string_id}: ${rows} rows, last hash ${hash || 'none'}`,
    )
  if (found.some(({ problem }) => problem)) process.exitCode = 1
}

async function verifyRealms(
  db: Database,
  realm: string | undefined,
): Promise<(Verification & { string_id: string })[]> {
  const realms = await db.selectFrom('realms').select(['id', 'string_id']).orderBy('id').execute()
  const only = realm === undefined ? undefined : (await findRealm(db, realm)).id
  const found = []
  for (const { id, string_id } of realms)
    if (only === undefined || id === only) found.push({ string_id, ...(await verifyChain(db, id)) })
  return found
}

/** Prints the audit log of an organization as one JSON object per line, newest first. */
export async function printAuditLog({ realm }: { realm?: string }): Promise<void> {
  await withDatabase(async (db) => {
    const { id } = await findRealm(db, realm)
    for await (const row of allAuditRows(db, id)) console.log(JSON.stringify(row))
  })
}
