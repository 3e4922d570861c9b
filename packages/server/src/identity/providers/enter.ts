import type { Realm } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { accessAccount } from '../sign-in/accounts.ts'
import { syncGroups } from './groups.ts'
import { accessIdentity, type Linking } from './identities.ts'
import type { Claimed } from './oidc/oidc.ts'

/** The account of a person that a provider has identified, with the groups that follow the provider. */
export async function enterAccount(
  tx: Tx,
  ctx: Context,
  realm: Realm,
  provider: Linking & { groups?: Record<string, string> },
  claimed: Claimed,
): Promise<number> {
  const userId = await accessIdentity(tx, ctx, provider, claimed)
  await accessAccount(tx.db, realm.id, userId)
  if (provider.groups && claimed.groups) await syncGroups(tx, realm, userId, provider.groups, claimed.groups)
  return userId
}
