import { transactIn } from '../../context.ts'
import type { App } from '../../http/serving/serve.ts'
import { servePage } from '../../http/serving/serve-page.ts'
import { submit } from '../../identity/pages/form.ts'
import { realmOf } from '../../organization/realms/request-realm.ts'
import { html, say } from '../../platform/html.ts'
import { accessMute, accessUnsubscribe, muteTopic, unsubscribe } from './turn-off-emails.ts'

/**
 * The pages behind the link that turns emails off. GET changes nothing, because email programs prefetch links. Email
 * programs may also POST for the user (RFC 8058), from pages of their own; the link alone decides, and no cookie is read.
 */
export function unsubscribeRoutes(app: App): void {
  const { ctx } = app
  const url = '/unsubscribe/:token'

  servePage(app, 'GET', url, async ({ request, path }) => {
    const realm = await realmOf(ctx, request)
    accessUnsubscribe(ctx.vault, realm.id, path.token!)
    return {
      title: say('Turn off emails?'),
      organization: realm.name,
      content: html`<p>${say(
        'You will get no more emails about messages at {organization}. Emails about your account are not affected.',
        { organization: realm.name },
      )}</p>
<form class="actions" method="post">${submit(say('Turn off emails'))}</form>`,
    }
  })

  servePage(app, 'GET', '/mute-topic/:token', async ({ request, path }) => {
    const realm = await realmOf(ctx, request)
    accessMute(ctx.vault, realm.id, path.token!)
    return {
      title: say('Mute this topic?'),
      organization: realm.name,
      content: html`<p>${say('You will not be notified about this topic any more, unless someone mentions you by name.')}</p>
<form class="actions" method="post">${submit(say('Mute this topic'))}</form>`,
    }
  })

  servePage(
    app,
    'POST',
    '/mute-topic/:token',
    async ({ request, path }) => {
      const realm = await realmOf(ctx, request)
      const muted = accessMute(ctx.vault, realm.id, path.token!)
      await transactIn(ctx, realm.id, (tx) => muteTopic(tx, muted))
      return {
        title: say('The topic is muted'),
        organization: realm.name,
        content: html`<p>${say('You can unmute it in the app.')}</p>`,
      }
    },
    { isCrossSite: true },
  )

  servePage(
    app,
    'POST',
    url,
    async ({ request, path }) => {
      const realm = await realmOf(ctx, request)
      const userId = accessUnsubscribe(ctx.vault, realm.id, path.token!)
      await transactIn(ctx, realm.id, (tx) => unsubscribe(tx, userId))
      return {
        title: say('Emails are off'),
        organization: realm.name,
        content: html`<p>${say('You will get no more emails about messages. You can turn them on again in your notification settings.')}</p>
<p class="actions"><a class="button outline" href="/#settings/notifications">${say('Open the settings')}</a></p>`,
      }
    },
    { isCrossSite: true },
  )
}
