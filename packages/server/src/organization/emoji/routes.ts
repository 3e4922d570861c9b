import { lookup } from '@parley/api/lookup'
import * as api from '@parley/api/organization/emoji'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { queueOwner } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { authorizeOpenFiles } from '../../http/serving/authorize.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { cachedForEver, NoSuchFile, sendFile } from '../../platform/http/send-file.ts'
import { uploadOf } from '../../platform/http/upload.ts'
import { squareImage } from '../../platform/images/image-processor.ts'
import { realmOf } from '../realms/request-realm.ts'
import { checkName, EmojiExists } from './access.ts'
import { addEmoji, deactivateEmoji, dropEmojiFiles, emojiPath, storeEmoji } from './actions.ts'
import { findCustomEmoji, readEmoji } from './queries.ts'

const size = 64

export function emojiRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.getEmoji, async ({ ctx, user }) => ({ emoji: await readEmoji(ctx.db, user.realm_id) }))

  serve(app, api.uploadEmoji, async ({ ctx, user, path, request }) => {
    const name = checkName(user, path.emoji_name)
    if ((await findCustomEmoji(ctx.db, user.realm_id, [name])).length > 0) throw new EmojiExists()
    const upload = uploadOf(request)
    const image = await squareImage({ owner: queueOwner(user), read: () => upload.bytes() }, size)
    const files = await storeEmoji(ctx.files, user.realm_id, image)
    try {
      await transactIn(ctx, user.realm_id, (tx) => addEmoji(tx, user, name, files))
    } catch (error) {
      if (error instanceof EmojiExists) await dropEmojiFiles(ctx.files, user.realm_id, files)
      throw error
    }
    return {}
  })

  serve(app, api.deactivateEmoji, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, (tx) => deactivateEmoji(tx, user, path.emoji_name))
    return {}
  })

  const onRequest = authorizeOpenFiles(app)
  app.server.get('/user_avatars/:realm_id/emoji/images/:file_name', { onRequest }, (request, reply) =>
    sendImage(ctx, request, reply),
  )
}

const types: Record<string, string> = { png: 'image/png', gif: 'image/gif', webp: 'image/webp' }

/** Public to everyone who knows the URL, because images in emails and notifications are loaded without credentials. */
async function sendImage(ctx: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { realm_id, file_name } = request.params as { realm_id: string; file_name: string }
  const [, extension] = /^[0-9a-f]{16}(?:-still)?\.(png|gif|webp)$/.exec(file_name) ?? []
  const realm = await realmOf(ctx, request)
  if (!extension || realm_id !== String(realm.id)) throw new NoSuchFile()
  const headers = { 'content-type': lookup(types, extension)!, ...cachedForEver }
  return sendFile(reply, ctx.files, emojiPath(realm.id, file_name), headers)
}
