import { roles } from '@parley/api/common'
import * as api from '@parley/api/identity/accounts'
import { checkAccess } from '../../callers/authenticate.ts'
import { type Context, transactIn } from '../../context.ts'
import { requestDeactivationMail } from '../../delivery/mail/actions.ts'
import type { Tx } from '../../events/transact.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { realmUrl } from '../../organization/realms/realm-url.ts'
import {
  accessAccountToReactivate,
  accessGuardedAccount,
  accessManagedAccount,
  accessOwn,
  checkDeactivation,
  checkOwnDeactivation,
  type ManagedAccount,
} from '../../people/users/account-access.ts'
import { accessUserByEmail } from '../../people/users/queries.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { networkOf } from '../../platform/http/network.ts'
import { confirmSession } from '../passwords/credentials.ts'
import { resetFactors } from '../second-factors/actions.ts'
import { changeUser } from './change-account.ts'
import { addUser, checkMayCreateUsers } from './create-account.ts'
import { deactivateAccount, deactivateManagedBot } from './deactivate-account.ts'
import { offerPasswordReset } from './password-reset.ts'
import { reactivateAccount } from './reactivate-account.ts'
import { revokeKeys } from './revoke-keys.ts'
import { makePermanent, suspendAccount } from './suspend-account.ts'
import { isSuspended, readSuspensions } from './suspensions.ts'

export function userAdministrationRoutes(app: App): void {
  serve(app, api.updateUser, ({ ctx, user, path, params }) => changeUser(ctx, user, path.user_id, params))

  serve(app, api.updateUserByEmail, async ({ ctx, user, path, params }) => {
    const { id } = await accessUserByEmail(ctx.db, user, path.email)
    return changeUser(ctx, user, id, params)
  })

  serve(app, api.createUser, async ({ ctx, user, params: { own_password, ...params }, request }) => {
    checkMayCreateUsers(user)
    await confirmSession(ctx, user, own_password, networkOf(request.ip))
    const user_id = await addUser(ctx, user, { ...params, role: roles.member }, checkMayCreateUsers)
    return { user_id }
  })

  serve(app, api.createAccount, async ({ ctx, user, params: { own_password, ...params }, request }) => {
    await confirmSession(ctx, user, own_password, networkOf(request.ip))
    const user_id = await addUser(ctx, user, params, (caller) => checkAccess('owner', caller))
    return { user_id }
  })

  serve(app, api.deactivateUser, async ({ ctx, user, path, params }) => {
    const comment = params.deactivation_notification_comment?.trim()
    await transactIn(ctx, user.realm_id, async (tx) => {
      const managed = await accessManagedAccount(tx, user, path.user_id)
      if (await isSuspended(tx, path.user_id)) return makePermanent(tx, managed)
      checkDeactivation(managed)
      if (managed.target.bot_type !== null) return deactivateManagedBot(tx, ctx, managed)
      await deactivateAccount(tx, ctx, managed)
      if (comment !== undefined) await requestDeactivationMail(tx, path.user_id, comment)
    })
    return {}
  })

  serve(app, api.suspendUser, async ({ ctx, user, path, params }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      suspendAccount(tx, ctx, await accessManagedAccount(tx, user, path.user_id), params.until),
    )
    return {}
  })

  serve(app, api.getSuspensions, async ({ ctx, user }) => ({
    suspensions: await readSuspensions(ctx.db, user.realm_id),
  }))

  serve(app, api.revokeUserKeys, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      revokeKeysOf(tx, ctx, await accessGuardedAccount(tx, user, path.user_id)),
    )
    return {}
  })

  serve(app, api.sendPasswordReset, async ({ ctx, user, path, params, request }) => {
    // With the link, the caller could sign in as the user.
    if (!ctx.mailer) await confirmSession(ctx, user, params.password, networkOf(request.ip))
    return transactIn(ctx, user.realm_id, async (tx) => {
      const managed = await accessManagedAccount(tx, user, path.user_id)
      return offerPasswordReset(tx, ctx, managed, realmUrl(ctx, request, user.realm))
    })
  })

  serve(app, api.resetSecondFactors, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      resetSecondFactorsOf(tx, await accessGuardedAccount(tx, user, path.user_id)),
    )
    return {}
  })

  serve(app, api.deactivateOwnUser, async ({ ctx, user }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const managed = await accessOwn(tx, user)
      await checkOwnDeactivation(tx, managed)
      await deactivateAccount(tx, ctx, managed)
    })
    return {}
  })

  serve(app, api.reactivateUser, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      reactivateAccount(tx, ctx.vault, await accessAccountToReactivate(tx, user, path.user_id)),
    )
    return {}
  })
}

/** Also revokes the keys of the user's bots: a leaked user key can read them. */
async function revokeKeysOf(tx: Tx, { vault }: Context, managed: ManagedAccount): Promise<void> {
  const { actor, target, botIds } = managed
  await revokeKeys(tx, { vault, realm: actor.realm, actorId: actor.id }, [target.id, ...botIds])
}

/** Not for oneself: a stolen session must not be able to remove the protection of its account. */
async function resetSecondFactorsOf(tx: Tx, { actor, target }: ManagedAccount): Promise<void> {
  if (target.id === actor.id) throw new ApiError('Change your own second factors at /second-factor.')
  await resetFactors(tx, actor.id, target.id)
}
