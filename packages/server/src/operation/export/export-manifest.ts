import type { Db } from '../../platform/db/pool.ts'
import type { Member } from '../../platform/files/tar.ts'
import { version } from '../../platform/version.ts'
import { bytesMember } from './checksums.ts'
import { type ExportKind, exportKinds, type Limit } from './scope.ts'

/** Changes when an importer of the present format could not read it. */
export const exportFormat = 1

export interface Manifest {
  format: number
  source: { program: 'parley'; version: string }
  kind: ExportKind
  /** When it was made, in ISO 8601. */
  made_at: string
  realm: { id: number; string_id: string; name: string }
  /** What the operator asked for, if not everything. */
  limit?: Limit
}

/** `export.json`, the first member of an export: what it is. */
export async function readManifest(db: Db, realmId: number, type: number, limit: Limit | null): Promise<Member> {
  const realm = await db
    .selectFrom('realms')
    .select(['id', 'string_id', 'name'])
    .where('id', '=', realmId)
    .executeTakeFirstOrThrow()
  const kinds = Object.entries(exportKinds) as [ExportKind, number][]
  const manifest: Manifest = {
    format: exportFormat,
    source: { program: 'parley', version },
    kind: kinds.find(([, number]) => number === type)![0],
    made_at: new Date().toISOString(),
    realm,
    ...(limit && { limit }),
  }
  return bytesMember('export.json', `${JSON.stringify(manifest, null, 2)}\n`)
}
