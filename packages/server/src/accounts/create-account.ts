import { type Context, transactIn } from '../context.ts'
import type { Realm } from '../realms/state.ts'
import { createUser, type NewUser } from '../users/actions.ts'
import type { UserRow } from '../users/user-object.ts'
import { welcomeAccount } from './welcome.ts'

/** Creates an account, subscribes it to the default channels and sends the welcome message. */
export function addAccount(ctx: Context, realm: Realm, account: NewUser): Promise<UserRow> {
  return transactIn(ctx, realm.id, async (tx) => {
    const user = await createUser(tx, ctx.vault, realm, account)
    await welcomeAccount(tx, ctx, realm, user)
    return user
  })
}
