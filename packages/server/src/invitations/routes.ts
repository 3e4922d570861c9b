import * as api from '@parley/api/invitations'
import { transactIn } from '../context.ts'
import { type App, serve } from '../http/serve.ts'
import { requestInvitationMail } from '../mail/actions.ts'
import { realmUrl } from '../realms/realm-url.ts'
import { accessInviter } from './access.ts'
import { createLink, inviteByEmail, resendInvitation, revokeInvitation } from './actions.ts'
import { InvitationFailed } from './invitees.ts'
import { joinUrl, listInvitations } from './queries.ts'

export function invitationRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.getInvitations, async ({ user, request }) => {
    const baseUrl = realmUrl(ctx, request, user.realm)
    const links = { vault: ctx.vault, baseUrl, sendsEmail: ctx.mailer !== undefined }
    return { invites: await listInvitations(ctx.db, user, links) }
  })

  serve(app, api.sendInvitations, async ({ user, params, request }) => {
    const baseUrl = realmUrl(ctx, request, user.realm)
    const { invitations, skipped } = await transactIn(ctx, user.realm_id, async (tx) => {
      const actor = await accessInviter(tx, user, 'can_invite_users_group')
      const invited = await inviteByEmail(tx, ctx.vault, actor, params)
      if (ctx.mailer) for (const { id } of invited.invitations) await requestInvitationMail(tx, id, baseUrl)
      return invited
    })
    if (skipped.length > 0)
      throw new InvitationFailed('Some of the emails already have an account. The others were invited.', {
        errors: skipped,
        sent: true,
      })
    if (ctx.mailer) return {}
    return {
      invite_links: invitations.map(({ email, token }) => ({ email: email!, link_url: joinUrl(baseUrl, token) })),
    }
  })

  serve(app, api.createInvitationLink, async ({ user, params, request }) => {
    const { token } = await transactIn(ctx, user.realm_id, async (tx) =>
      createLink(tx, ctx.vault, await accessInviter(tx, user, 'create_multiuse_invite_group'), params),
    )
    return { invite_link: joinUrl(realmUrl(ctx, request, user.realm), token) }
  })

  serve(app, api.revokeInvitation, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      revokeInvitation(tx, await accessInviter(tx, user), 'email', path.invite_id),
    )
    return {}
  })

  serve(app, api.revokeInvitationLink, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      revokeInvitation(tx, await accessInviter(tx, user), 'link', path.invite_id),
    )
    return {}
  })

  serve(app, api.resendInvitation, async ({ user, path, request }) => {
    const baseUrl = realmUrl(ctx, request, user.realm)
    const token = await transactIn(ctx, user.realm_id, async (tx) => {
      if (ctx.mailer) await requestInvitationMail(tx, path.invite_id, baseUrl)
      return resendInvitation(tx, ctx.vault, await accessInviter(tx, user), path.invite_id)
    })
    return ctx.mailer ? {} : { link_url: joinUrl(baseUrl, token) }
  })
}
