import * as api from '@parley/api/sessions'
import * as tokens from '@parley/api/tokens'
import { signOutElsewhere } from '../accounts/revoke-keys.ts'
import { transactIn } from '../context.ts'
import { type App, serve } from '../http/serve.ts'
import { realmUrl } from '../realms/realm-url.ts'
import { samlLogoutUrl } from '../sign-on/saml-logout.ts'
import { createOwnToken, listOwnTokens, revokeOwnToken } from './api-tokens.ts'
import { signInAccount } from './fetch-key.ts'
import { endOwnSession, listSessions, signOut, startSession } from './sessions.ts'

export function sessionRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.createSession, async ({ params, request, reply }) => {
    const account = await signInAccount(ctx, request, params)
    const session_id = await startSession(ctx, request, reply, account, {
      isSharedComputer: params.shared_computer,
    })
    return { user_id: account.id, session_id }
  })

  serve(app, api.getSessions, async ({ user }) => ({ sessions: await listSessions(ctx, user) }))

  serve(app, api.endOtherSessions, async ({ user }) => {
    await transactIn(ctx, user.realm_id, (tx) => signOutElsewhere(tx, ctx.vault, user))
    return {}
  })

  serve(app, api.endCurrentSession, async ({ user, request, reply }) => {
    const logout_url = await samlLogoutUrl(ctx, user, realmUrl(ctx, request, user.realm))
    await signOut(ctx, user, request, reply)
    return logout_url === undefined ? {} : { logout_url }
  })

  serve(app, api.endSession, async ({ user, path }) => {
    await endOwnSession(ctx, user, path.session_id)
    return {}
  })

  serve(app, tokens.createToken, ({ user, params, request }) =>
    createOwnToken(ctx, user, params, { userAgent: request.headers['user-agent'] ?? '', ip: request.ip }),
  )

  serve(app, tokens.getTokens, async ({ user }) => ({ tokens: await listOwnTokens(ctx, user) }))

  serve(app, tokens.revokeToken, async ({ user, path }) => {
    await revokeOwnToken(ctx, user, path.token_id)
    return {}
  })
}
