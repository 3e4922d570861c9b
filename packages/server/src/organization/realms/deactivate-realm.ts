import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column, exists } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Vault } from '../../platform/secrets.ts'

class DeadReactivationLink extends ApiError {
  constructor() {
    super(
      'This link has expired or was already used. The server operator can reactivate the organization.',
      'NOT_FOUND',
    )
  }
}

/** Every request of its users is refused from now on. Returns when it happened, which links to undo it contain. */
export async function deactivateRealm(tx: Tx, actorId: number | null): Promise<string> {
  const [at] = await column<string>(tx.db)`
    update realms set deactivated = true, deactivated_at = now() where id = ${tx.realmId} and not deactivated
    returning extract(epoch from deactivated_at)::text`
  if (at === undefined) throw new ApiError('The organization is already deactivated.')
  tx.emit({ type: 'realm', op: 'deactivated', realm_id: tx.realmId }, { realm: 'everyone' }, { access: true })
  await tx.audit(actorId, 'realm_deactivated', {})
  return at
}

export async function reactivateRealm(tx: Tx, actorId: number | null): Promise<void> {
  const isBeingDeleted = tx.db.selectFrom('realms').select('deletion_started_at').where('id', '=', tx.realmId)
  if ((await isBeingDeleted.executeTakeFirst())?.deletion_started_at)
    throw new ApiError('The deletion of the organization has begun, and it cannot be reactivated.')
  const { numUpdatedRows } = await tx.db
    .updateTable('realms')
    .set({ deactivated: false, deactivated_at: null })
    .where(matches({ id: tx.realmId, deactivated: true }))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw new ApiError('The organization is not deactivated.')
  tx.emitInternal({ access: true })
  await tx.audit(actorId, 'realm_reactivated', {})
}

/** The token in a link to undo one deactivation. Not stored: it is encrypted, so that only the server can create one. */
export function reactivationToken(vault: Vault, realmId: number, deactivatedAt: string): string {
  return vault.seal(`reactivation ${realmId} ${deactivatedAt}`).toString('base64url')
}

/** Throws unless the link belongs to the current deactivation, which began at most 30 days ago. */
export async function checkReactivation(db: Db, vault: Vault, realmId: number, token: string): Promise<void> {
  const isValid = await exists(db)`
    select 1 from realms
     where id = ${realmId} and deactivated and deactivated_at > now() - interval '30 days'
       and extract(epoch from deactivated_at)::text = ${timeIn(vault, realmId, token)}`
  if (!isValid) throw new DeadReactivationLink()
}

function timeIn(vault: Vault, realmId: number, token: string): string {
  try {
    const [, realm, at] = /^reactivation (\d+) ([\d.]+)$/.exec(vault.open(Buffer.from(token, 'base64url'))) ?? []
    if (Number(realm) === realmId) return at!
  } catch {
    // not a token of this server
  }
  throw new DeadReactivationLink()
}
