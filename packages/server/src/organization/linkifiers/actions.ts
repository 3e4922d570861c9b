import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { checkSharedLimit } from '../realms/snapshot-limits.ts'
import { checkLinkifier, InvalidLinkifier, type LinkifierParams } from './check-linkifier.ts'
import { listLinkifiers } from './queries.ts'

/** The caller must hold the lock of the organization (accessOrganization), which serializes changes of linkifiers. */
export async function addLinkifier(tx: Tx, actor: Caller, params: LinkifierParams): Promise<number> {
  checkLinkifier(params)
  await checkFreePattern(tx, params.pattern)
  const { id } = await one<{ id: number }>(tx.db)`
    insert into linkifiers (realm_id, pattern, url_template, example_input, place)
    select ${tx.realmId}, ${params.pattern}, ${params.url_template}, ${params.example_input || null},
           coalesce(max(place) + 1, 0)
      from linkifiers where realm_id = ${tx.realmId}
    returning id`
  await checkSharedLimit(tx, 'linkifiers')
  await emitAndAudit(tx, actor, 'linkifier_added', { linkifier_id: id, ...params })
  return id
}

async function checkFreePattern(tx: Tx, pattern: string, except = 0): Promise<void> {
  const same = tx.db.selectFrom('linkifiers').where(matches({ realm_id: tx.realmId, pattern }))
  const found = await same.select('id').where('id', '!=', except).executeTakeFirst()
  if (found) throw new InvalidLinkifier('pattern', 'Linkifier with this pattern already exists.')
}

/** Sets `access`, because processes cache linkifiers as part of the realm. */
async function emitAndAudit(tx: Tx, actor: Caller, action: string, target: object): Promise<void> {
  const realm_linkifiers = await listLinkifiers(tx.db, tx.realmId)
  tx.emit({ type: 'realm_linkifiers', realm_linkifiers }, { realm: 'everyone' }, { access: true })
  await tx.audit(actor.id, action, target)
}

class LinkifierNotFound extends ApiError {
  constructor() {
    super('Linkifier not found.')
  }
}

export async function updateLinkifier(tx: Tx, actor: Caller, id: number, params: LinkifierParams): Promise<void> {
  await checkExists(tx, id)
  checkLinkifier(params)
  await checkFreePattern(tx, params.pattern, id)
  const { pattern, url_template, example_input } = params
  await tx.db
    .updateTable('linkifiers')
    .set({ pattern, url_template, ...(example_input !== undefined && { example_input: example_input || null }) })
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
  await emitAndAudit(tx, actor, 'linkifier_updated', { linkifier_id: id, ...params })
}

async function checkExists(tx: Tx, id: number): Promise<void> {
  const known = matches({ realm_id: tx.realmId, id })
  const found = await tx.db.selectFrom('linkifiers').select('id').where(known).executeTakeFirst()
  if (!found) throw new LinkifierNotFound()
}

export async function removeLinkifier(tx: Tx, actor: Caller, id: number): Promise<void> {
  await checkExists(tx, id)
  await tx.db.deleteFrom('linkifiers').where('realm_id', '=', tx.realmId).where('id', '=', id).execute()
  await emitAndAudit(tx, actor, 'linkifier_removed', { linkifier_id: id })
}

export async function reorderLinkifiers(tx: Tx, actor: Caller, order: number[]): Promise<void> {
  const known = (await listLinkifiers(tx.db, tx.realmId)).map(({ id }) => id)
  const isComplete = order.length === known.length && known.every((id) => order.includes(id))
  if (!isComplete) throw new ApiError('The ordered list must enumerate all existing linkifiers exactly once')
  await sql`
    update linkifiers l set place = o.place
      from unnest(${order}::bigint[]) with ordinality as o(id, place)
     where l.realm_id = ${tx.realmId} and l.id = o.id`.execute(tx.db)
  await emitAndAudit(tx, actor, 'linkifiers_reordered', { order })
}
