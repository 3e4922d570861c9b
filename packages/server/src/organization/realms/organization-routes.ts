import { roles } from '@parley/api/common'
import * as api from '@parley/api/organization/organization'
import { checkAccess, reloadCaller } from '../../callers/authenticate.ts'
import { type Caller, queueOwner } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { requestOwnerMails } from '../../delivery/mail/actions.ts'
import { lockRealm } from '../../events/lock-row.ts'
import { authorizeOpenFiles } from '../../http/serving/authorize.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { servePage } from '../../http/serving/serve-page.ts'
import { submit } from '../../identity/pages/form.ts'
import { html, say } from '../../platform/html.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { cachedForEver, NoSuchFile, sendFile } from '../../platform/http/send-file.ts'
import { uploadOf } from '../../platform/http/upload.ts'
import { checkReactivation, deactivateRealm, reactivateRealm } from './deactivate-realm.ts'
import { changeImage, type ImageKind, imageFile, storingImage } from './images.ts'
import { realmUrl } from './realm-url.ts'
import { realmOf } from './request-realm.ts'

/** The images of an organization, and its end. */
export function organizationRoutes(app: App): void {
  const logo = (night: boolean): ImageKind => (night ? 'night_logo' : 'logo')

  serve(app, api.uploadRealmIcon, async ({ ctx, user, request }) => {
    const { icon_url } = await upload(ctx, user, 'icon', uploadOf(request))
    return { icon_url }
  })
  serve(app, api.deleteRealmIcon, async ({ ctx, user }) => ({
    icon_url: (await change(ctx, user, 'icon', null)).icon_url,
  }))
  serve(app, api.uploadRealmLogo, async ({ ctx, user, params, request }) => {
    await upload(ctx, user, logo(params.night), uploadOf(request))
    return {}
  })
  serve(app, api.deleteRealmLogo, async ({ ctx, user, params }) => {
    await change(ctx, user, logo(params.night), null)
    return {}
  })

  serve(app, api.deactivateRealm, async ({ ctx, user, params, request }) => {
    if (typeof params.deletion_delay_days === 'number')
      throw new ApiError('Parley does not delete organizations automatically. Leave out deletion_delay_days.')
    const base_url = realmUrl(ctx, request, user.realm)
    await transactIn(ctx, user.realm_id, async (tx) => {
      const actor = await reloadCaller(tx.db, user)
      checkAccess('owner', actor)
      const deactivated_at = await deactivateRealm(tx, actor.id)
      await requestOwnerMails(tx, roles.owner, { template: 'realm_deactivated', deactivated_at, base_url })
    })
    return {}
  })

  imageRoutes(app)
  reactivationRoutes(app)
}

function upload(ctx: Context, user: Caller, kind: ImageKind, file: ReturnType<typeof uploadOf>) {
  const source = { owner: queueOwner(user), read: () => file.bytes() }
  return storingImage(ctx.files, user.realm_id, kind, source, (path) => change(ctx, user, kind, path))
}

function change(ctx: Context, user: Caller, kind: ImageKind, path: string | null) {
  return transactIn(ctx, user.realm_id, async (tx) => {
    await lockRealm(tx)
    const actor = await reloadCaller(tx.db, user)
    checkAccess('admin', actor)
    await tx.audit(actor.id, 'realm_image_changed', { image: kind })
    return changeImage(tx, actor.realm, kind, path)
  })
}

/** Public to anyone with the URL: the sign-in page shows the icon. */
function imageRoutes(app: App): void {
  const { ctx, server } = app
  const url = '/user_avatars/:realm_id/realm/:file_name'
  server.get(url, { onRequest: authorizeOpenFiles(app) }, async (request, reply) => {
    const { realm_id, file_name } = request.params as { realm_id: string; file_name: string }
    const [, type] = /^[0-9a-f]{32}(?:-\d+)?\.(png|webp)$/.exec(file_name) ?? []
    const realm = await realmOf(ctx, request)
    if (!type || realm_id !== String(realm.id)) throw new NoSuchFile()
    const headers = { 'content-type': `image/${type}`, ...cachedForEver }
    return sendFile(reply, ctx.files, imageFile(`${realm.id}/${file_name}`), headers)
  })
}

/** The pages behind the link in the owners' email. GET changes nothing, because email programs prefetch links. */
function reactivationRoutes(app: App): void {
  const { ctx } = app
  const url = '/reactivate/:token'
  servePage(app, 'GET', url, async ({ request, path }) => {
    const { id, name } = await realmOf(ctx, request)
    await checkReactivation(ctx.db, ctx.vault, id, path.token!)
    return {
      title: say('Reactivate {organization}?', { organization: name }),
      content: html`<p>${say('Everyone can sign in again, and everything is as it was before.')}</p>
<form class="actions" method="post">${submit(say('Reactivate the organization'))}</form>`,
    }
  })
  servePage(app, 'POST', url, async ({ request, path }) => {
    const { id, name } = await realmOf(ctx, request)
    await transactIn(ctx, id, async (tx) => {
      await checkReactivation(tx.db, ctx.vault, id, path.token!)
      await reactivateRealm(tx, null)
    })
    return {
      title: say('{organization} is active again', { organization: name }),
      content: html`<p class="actions"><a class="button primary" href="/login">${say('Sign in')}</a></p>`,
    }
  })
}
