import * as api from '@parley/api/identity/sessions'
import * as tokens from '@parley/api/identity/tokens'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { realmUrl } from '../../organization/realms/realm-url.ts'
import { accessGuardedAccount } from '../../people/users/account-access.ts'
import { signOutElsewhere } from '../accounts/revoke-keys.ts'
import { samlLogoutUrl } from '../providers/saml/saml-logout.ts'
import { signInAccount } from '../sign-in/fetch-key.ts'
import { createOwnToken, listOwnTokens, revokeOwnToken } from '../tokens/api-tokens.ts'
import { readLastingAccess } from './lasting-access.ts'
import { endOwnSession, endSessionOf, listSessions, signOut, startSession } from './sessions.ts'

export function sessionRoutes(app: App): void {
  serve(app, api.createSession, async ({ ctx, params, request, reply }) => {
    const account = await signInAccount(ctx, request, params)
    const session_id = await startSession(ctx, request, reply, account, {
      isSharedComputer: params.shared_computer,
    })
    return { user_id: account.id, session_id }
  })

  serve(app, api.getSessions, async ({ ctx, user }) => ({ sessions: await listSessions(ctx, user) }))

  serve(app, api.getUserSessions, ({ ctx, user, path }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      const { target } = await accessGuardedAccount(tx, user, path.user_id)
      return { sessions: await listSessions(ctx, user, target.id) }
    }),
  )

  serve(app, api.endUserSession, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const { actor, target } = await accessGuardedAccount(tx, user, path.user_id)
      await endSessionOf(tx, actor.id, target.id, path.session_id)
    })
    return {}
  })

  serve(app, api.endOtherSessions, async ({ ctx, user }) => {
    await transactIn(ctx, user.realm_id, (tx) => signOutElsewhere(tx, ctx.vault, user))
    return {}
  })

  serve(app, api.getLastingAccess, async ({ ctx, user }) => ({ items: await readLastingAccess(ctx.db, user) }))

  serve(app, api.endCurrentSession, async ({ ctx, user, request, reply }) => {
    const logout_url = await samlLogoutUrl(ctx, user, realmUrl(ctx, request, user.realm))
    await signOut(ctx, user, request, reply)
    return logout_url === undefined ? {} : { logout_url }
  })

  serve(app, api.endSession, async ({ ctx, user, path }) => {
    await endOwnSession(ctx, user, path.session_id)
    return {}
  })

  serve(app, tokens.createToken, ({ ctx, user, params, request }) =>
    createOwnToken(ctx, user, params, { userAgent: request.headers['user-agent'] ?? '', ip: request.ip }),
  )

  serve(app, tokens.getTokens, async ({ ctx, user }) => ({ tokens: await listOwnTokens(ctx, user) }))

  serve(app, tokens.revokeToken, async ({ ctx, user, path }) => {
    await revokeOwnToken(ctx, user, path.token_id)
    return {}
  })
}
