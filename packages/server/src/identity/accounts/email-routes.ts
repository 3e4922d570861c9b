import * as api from '@parley/api/identity/accounts'
import { type Context, transactIn } from '../../context.ts'
import { requestEmailConfirmation, requestEmailNotice } from '../../delivery/mail/actions.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { servePage } from '../../http/serving/serve-page.ts'
import { realmUrl } from '../../organization/realms/realm-url.ts'
import { realmOf } from '../../organization/realms/request-realm.ts'
import { html, say } from '../../platform/html.ts'
import { submit } from '../pages/form.ts'
import {
  accessEmailChange,
  cancelEmailChange,
  confirmEmail,
  readEmailChange,
  renewEmailChange,
} from './email-changes.ts'

/** A change that waits until the new email is confirmed. It begins with `PATCH /settings`. */
export function emailChangeRoutes(app: App): void {
  serve(app, api.getEmailChange, async ({ ctx, user }) => ({
    email_change: (await readEmailChange(ctx.db, user)) ?? null,
  }))

  serve(app, api.resendEmailChange, async ({ ctx, user, request }) => {
    const baseUrl = realmUrl(ctx, request, user.realm)
    await transactIn(ctx, user.realm_id, async (tx) =>
      requestEmailConfirmation(tx, user.id, await renewEmailChange(tx, user), baseUrl),
    )
    return {}
  })

  serve(app, api.cancelEmailChange, async ({ ctx, user }) => {
    await transactIn(ctx, user.realm_id, (tx) => cancelEmailChange(tx, user))
    return {}
  })
}

/** The pages behind the link in the email. GET changes nothing, because email programs prefetch links. */
export function emailRoutes(app: App): void {
  const { ctx } = app
  const url = '/accounts/confirm_new_email/:token'

  servePage(app, 'GET', url, async ({ request, path }) => {
    const realm = await realmOf(ctx, request)
    const { new_email } = await accessEmailChange(ctx.db, ctx.vault, realm.id, path.token!)
    return {
      title: say('Confirm your new email address'),
      organization: realm.name,
      content: html`<p>${say('Is {email} your new email address at {organization}?', {
        email: html`<strong>${new_email}</strong>`,
        organization: realm.name,
      })}</p>
<form class="actions" method="post">${submit(say('Yes, change my email address'))}</form>`,
    }
  })

  servePage(app, 'POST', url, async ({ request, path }) => {
    const realm = await realmOf(ctx, request)
    await confirm(ctx, realm.id, path.token!)
    return {
      title: say('Your email address has been changed'),
      organization: realm.name,
      content: html`<p>${say('Use the new one to sign in.')}</p>
<p class="actions"><a class="button outline" href="/">${say('Continue')}</a></p>`,
    }
  })
}

function confirm(ctx: Context, realmId: number, token: string): Promise<void> {
  return transactIn(ctx, realmId, async (tx) => {
    const { user_id, old_email } = await confirmEmail(tx, ctx.vault, token)
    await requestEmailNotice(tx, user_id, old_email)
  })
}
