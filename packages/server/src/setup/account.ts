import { type Context, transactIn } from '../context.ts'
import type { Realm } from '../realms/state.ts'
import { createUser, type NewUser } from '../users/actions.ts'
import { welcomeAccount } from './new-account.ts'

/** Makes an account with everything a new one finds. */
export async function addAccount(ctx: Context, realm: Realm, wanted: NewUser): Promise<void> {
  await transactIn(ctx, realm.id, async (tx) => {
    const user = await createUser(tx, ctx.vault, realm, wanted)
    await welcomeAccount(tx, ctx, realm, user)
  })
}
