import * as api from '@parley/api/conversations/link-previews'
import { isModerator } from '@parley/api/permissions'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Context, transactIn } from '../../context.ts'
import { accessMessageIn } from '../../conversations/messages/model/access.ts'
import { authorizeOpenFiles } from '../../http/serving/authorize.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { realmOf } from '../../organization/realms/request-realm.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { cachedForEver, NoSuchFile, sendFile } from '../../platform/http/send-file.ts'
import { hidePreviews } from './hide.ts'
import { imageFile } from './page-images.ts'

export function linkPreviewRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.updateMessagePreviews, async ({ ctx, user, path, params }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const message = await accessMessageIn(tx, user, path.message_id)
      if (message.sender_id !== user.id && !isModerator(user))
        throw new ApiError('Only the sender and moderators can remove or restore previews.')
      await hidePreviews(tx, ctx, user.realm, message.id, params)
    })
    return {}
  })

  const onRequest = authorizeOpenFiles(app)
  app.server.get('/external_content/:token/:url', { onRequest }, (request, reply) => sendImage(ctx, request, reply))
}

/** Public to everyone who knows the URL, because images in emails and notifications are loaded without credentials. */
async function sendImage(ctx: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const realm = await realmOf(ctx, request)
  const path = await imageFile(ctx, realm.id, (request.params as { token: string }).token)
  if (path === undefined) throw new NoSuchFile()
  return sendFile(reply, ctx.files, path, { 'content-type': 'image/webp', ...cachedForEver })
}
