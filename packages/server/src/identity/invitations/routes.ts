import * as api from '@parley/api/identity/invitations'
import { transactIn } from '../../context.ts'
import { requestInvitationMail } from '../../delivery/mail/actions.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { realmUrl } from '../../organization/realms/realm-url.ts'
import { accessInviter } from './access.ts'
import { createLink, inviteByEmail, resendInvitation, revokeInvitation } from './actions.ts'
import { InvitationFailed } from './invitees.ts'
import { joinUrl, listInvitations } from './queries.ts'

export function invitationRoutes(app: App): void {
  serve(app, api.getInvitations, async ({ ctx, user, request }) => {
    const baseUrl = realmUrl(ctx, request, user.realm)
    const links = { vault: ctx.vault, baseUrl, sendsEmail: ctx.mailer !== undefined }
    return { invites: await listInvitations(ctx.db, user, links) }
  })

  serve(app, api.sendInvitations, async ({ ctx, user, params, request }) => {
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

  serve(app, api.createInvitationLink, async ({ ctx, user, params, request }) => {
    const { token } = await transactIn(ctx, user.realm_id, async (tx) =>
      createLink(tx, ctx.vault, await accessInviter(tx, user, 'create_multiuse_invite_group'), params),
    )
    return { invite_link: joinUrl(realmUrl(ctx, request, user.realm), token) }
  })

  serve(app, api.revokeInvitation, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      revokeInvitation(tx, await accessInviter(tx, user), 'email', path.invite_id),
    )
    return {}
  })

  serve(app, api.revokeInvitationLink, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      revokeInvitation(tx, await accessInviter(tx, user), 'link', path.invite_id),
    )
    return {}
  })

  serve(app, api.resendInvitation, async ({ ctx, user, path, request }) => {
    const baseUrl = realmUrl(ctx, request, user.realm)
    const token = await transactIn(ctx, user.realm_id, async (tx) => {
      if (ctx.mailer) await requestInvitationMail(tx, path.invite_id, baseUrl)
      return resendInvitation(tx, ctx.vault, await accessInviter(tx, user), path.invite_id)
    })
    return ctx.mailer ? {} : { link_url: joinUrl(baseUrl, token) }
  })
}
