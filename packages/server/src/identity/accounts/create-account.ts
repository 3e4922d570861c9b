import type * as api from '@parley/api/identity/accounts'
import type { ParamsOf } from '@parley/api/operation'
import { checkAccess, reloadCaller } from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import type { Realm } from '../../callers/realm-state.ts'
import { type Context, transactIn } from '../../context.ts'
import { createUser, type NewUser } from '../../people/users/actions.ts'
import { checkFullName } from '../../people/users/profile/account-fields.ts'
import { accessNewEmail } from '../../people/users/profile/email-rules.ts'
import { accessName } from '../../people/users/profile/name-rules.ts'
import type { UserRow } from '../../people/users/user-object.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { checkNewPassword } from '../passwords/password-strength.ts'
import { hashingOwner, hashPassword } from '../passwords/passwords.ts'
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
  params: Omit<ParamsOf<typeof api.createAccount>, 'own_password'>,
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
