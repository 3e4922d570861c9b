import { transactIn } from '../../context.ts'
import { deactivateRealm, reactivateRealm } from '../../organization/realms/deactivate-realm.ts'
import { findRealm, withContext } from '../open-context.ts'

/** Deactivates or reactivates an organization; running servers notice at once. */
export async function setRealmActive(isActive: boolean, options: { realm?: string }): Promise<void> {
  await withContext(async (ctx) => {
    const { id, name } = await findRealm(ctx.db, options.realm)
    await transactIn(ctx, id, async (tx) => void (await (isActive ? reactivateRealm : deactivateRealm)(tx, null)))
    console.log(`${name} is ${isActive ? 'active again' : 'deactivated'}.`)
  })
}
