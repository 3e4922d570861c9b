import { loadState } from '../../callers/realm-state.ts'
import { lockRealm } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { foldCase } from '../../platform/text.ts'
import { checkSharedLimit } from '../realms/snapshot-limits.ts'
import { storeSettings } from '../realms/update-realm.ts'

const label = /^(?!-)[\p{L}\p{N}-]{1,63}(?<!-)$/u

/** Validates a domain and returns it in the form that is stored and compared. */
export function checkDomain(text: string): string {
  const domain = foldCase(text.trim())
  const labels = domain.split('.')
  if (domain === '') throw new ApiError("Domain can't be empty.")
  if (labels.length < 2) throw new ApiError('Domain must have at least one dot (.)')
  if (domain.length > 253 || labels.some((one) => !label.test(one))) throw new ApiError('Invalid domain')
  return domain
}

export async function addDomain(tx: Tx, actorId: number, domain: string, allow_subdomains: boolean): Promise<number> {
  await lockRealm(tx)
  const row = await tx.db
    .insertInto('realm_domains')
    .values({ realm_id: tx.realmId, domain, allow_subdomains })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!row) throw new ApiError(`The domain ${domain} is already a part of your organization.`)
  await checkSharedLimit(tx, 'realm_domains')
  tx.emit({ type: 'realm_domains', op: 'add', realm_domain: { domain, allow_subdomains } }, { realm: 'everyone' })
  await tx.audit(actorId, 'domain_added', { domain, allow_subdomains })
  return row.id
}

export async function updateDomain(tx: Tx, actorId: number, domain: string, allow_subdomains: boolean): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('realm_domains')
    .set({ allow_subdomains })
    .where(matches({ realm_id: tx.realmId, domain }))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw noSuchDomain(domain)
  tx.emit({ type: 'realm_domains', op: 'change', realm_domain: { domain, allow_subdomains } }, { realm: 'everyone' })
  await tx.audit(actorId, 'domain_changed', { domain, allow_subdomains })
}

/** Removing the last domain lifts the restriction of emails to domains. */
export async function removeDomain(tx: Tx, actorId: number, domain: string): Promise<void> {
  await lockRealm(tx)
  const { numDeletedRows } = await tx.db
    .deleteFrom('realm_domains')
    .where(matches({ realm_id: tx.realmId, domain }))
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw noSuchDomain(domain)
  tx.emit({ type: 'realm_domains', op: 'remove', domain }, { realm: 'everyone' })
  await tx.audit(actorId, 'domain_removed', { domain })
  const { realm } = await loadState(tx.db, tx.realmId)
  if (realm.settings.emails_restricted_to_domains && !(await hasDomains(tx)))
    await storeSettings(tx, realm, { emails_restricted_to_domains: false })
}

async function hasDomains(tx: Tx): Promise<boolean> {
  const found = await tx.db
    .selectFrom('realm_domains')
    .select('id')
    .where('realm_id', '=', tx.realmId)
    .executeTakeFirst()
  return found !== undefined
}

function noSuchDomain(domain: string): ApiError {
  return new ApiError(`No entry found for domain ${domain}.`)
}
