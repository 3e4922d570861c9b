import * as api from '@parley/api/accounts'
import { roles } from '@parley/api/common'
import { type Context, transactIn } from '../context.ts'
import type { Tx } from '../events/transact.ts'
import { type App, serve } from '../http/serve.ts'
import { requestDeactivationMail } from '../mail/actions.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { realmUrl } from '../realms/realm-url.ts'
import { resetFactors } from '../second-factors/actions.ts'
import {
  accessManagedAccount,
  accessOwn,
  checkDeactivation,
  checkOwnDeactivation,
  checkOwner,
  type ManagedAccount,
} from '../users/account-access.ts'
import { checkAccess } from '../users/authenticate.ts'
import { accessUserByEmail } from '../users/queries.ts'
import { changeUser } from './change-account.ts'
import { addUser, checkMayCreateUsers } from './create-account.ts'
import { deactivateAccount, deactivateManagedBot } from './deactivate-account.ts'
import { offerPasswordReset } from './password-reset.ts'
import { reactivateAccount } from './reactivate-account.ts'
import { revokeKeys } from './revoke-keys.ts'

export function userAdministrationRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.updateUser, ({ user, path, params }) => changeUser(ctx, user, path.user_id, params))

  serve(app, api.updateUserByEmail, async ({ user, path, params }) => {
    const { id } = await accessUserByEmail(ctx.db, user, path.email)
    return changeUser(ctx, user, id, params)
  })

  serve(app, api.createUser, async ({ user, params }) => {
    const user_id = await addUser(ctx, user, { ...params, role: roles.member }, checkMayCreateUsers)
    return { user_id }
  })

  serve(app, api.createAccount, async ({ user, params }) => {
    const user_id = await addUser(ctx, user, params, (caller) => checkAccess('owner', caller))
    return { user_id }
  })

  serve(app, api.deactivateUser, async ({ user, path, params }) => {
    const comment = params.deactivation_notification_comment?.trim()
    await transactIn(ctx, user.realm_id, async (tx) => {
      const managed = await accessManagedAccount(tx, user, path.user_id)
      checkDeactivation(managed)
      if (managed.target.bot_type !== null) return deactivateManagedBot(tx, ctx, managed)
      await deactivateAccount(tx, ctx, managed)
      if (comment !== undefined) await requestDeactivationMail(tx, path.user_id, comment)
    })
    return {}
  })

  serve(app, api.revokeUserKeys, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      revokeKeysOf(tx, ctx, await accessManagedAccount(tx, user, path.user_id)),
    )
    return {}
  })

  serve(app, api.sendPasswordReset, ({ user, path, request }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      const managed = await accessManagedAccount(tx, user, path.user_id)
      return offerPasswordReset(tx, ctx, managed, realmUrl(ctx, request, user.realm))
    }),
  )

  serve(app, api.resetSecondFactors, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      resetSecondFactorsOf(tx, await accessManagedAccount(tx, user, path.user_id)),
    )
    return {}
  })

  serve(app, api.deactivateOwnUser, async ({ user }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const managed = await accessOwn(tx, user)
      await checkOwnDeactivation(tx.db, managed)
      await deactivateAccount(tx, ctx, managed)
    })
    return {}
  })

  serve(app, api.reactivateUser, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      reactivateAccount(tx, ctx.vault, await accessManagedAccount(tx, user, path.user_id)),
    )
    return {}
  })
}

/** Also revokes the keys of the user's bots: a leaked user key can read them. */
async function revokeKeysOf(tx: Tx, { vault }: Context, managed: ManagedAccount): Promise<void> {
  const { actor, target, botIds } = managed
  if (target.role === roles.owner) checkOwner(actor)
  await revokeKeys(tx, { vault, realm: actor.realm, actorId: actor.id }, [target.id, ...botIds])
}

/** Not for oneself: a stolen session must not be able to remove the protection of its account. */
async function resetSecondFactorsOf(tx: Tx, { actor, target }: ManagedAccount): Promise<void> {
  if (target.role === roles.owner) checkOwner(actor)
  if (target.id === actor.id) throw new ApiError('Change your own second factors at /second-factor.')
  await resetFactors(tx, actor.id, target.id)
}
