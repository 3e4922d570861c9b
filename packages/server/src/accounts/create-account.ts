import type * as api from '@parley/api/accounts'
import type { ParamsOf } from '@parley/api/operation'
import { type Context, transactIn } from '../context.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { Realm } from '../realms/state.ts'
import { checkNewPassword } from '../sign-in/password-strength.ts'
import { hashingOwner, hashPassword } from '../sign-in/passwords.ts'
import { checkFullName } from '../users/account-fields.ts'
import { createUser, type NewUser } from '../users/actions.ts'
import { checkAccess, reloadCaller } from '../users/authenticate.ts'
import type { Caller } from '../users/caller.ts'
import { accessNewEmail } from '../users/email-rules.ts'
import { accessName } from '../users/name-rules.ts'
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

/**
 * Creates an account with a password. Checks again in the transaction, because the caller may lose the permission while
 * the password is hashed.
 */
export async function addUser(
  ctx: Context,
  user: Caller,
  params: ParamsOf<typeof api.createAccount>,
  check: (caller: Caller) => void,
): Promise<number> {
  check(user)
  checkFullName(params.full_name)
  const email = await accessNewEmail(ctx.db, user.realm, params.email)
  await checkNewPassword(ctx.config.mode, params.password, [email, params.full_name])
  const password_hash = await hashPassword(params.password, hashingOwner(user))
  return transactIn(ctx, user.realm_id, async (tx) => {
    const creator = await reloadCaller(tx.db, user)
    check(creator)
    const { realm } = creator
    const full_name = await accessName(tx, realm, null, params.full_name)
    const created = await createUser(tx, ctx.vault, realm, { email, full_name, role: params.role, password_hash })
    await welcomeAccount(tx, ctx, realm, created)
    await tx.audit(user.id, 'user_created', { user_id: created.id })
    return created.id
  })
}

export function checkMayCreateUsers(caller: Caller): void {
  checkAccess('admin', caller)
  if (!caller.can_create_users) throw new ApiError('User not authorized to create users')
}
