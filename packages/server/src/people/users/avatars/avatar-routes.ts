import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as api from '@parley/api/people/avatars'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../../callers/caller.ts'
import { fakeDomain } from '../../../callers/realm-state.ts'
import { type Context, transactIn } from '../../../context.ts'
import { emitBotAccountUpdate } from '../../../delivery/bots/events.ts'
import { authorizeFiles, authorizeOpenFiles } from '../../../http/serving/authorize.ts'
import { type App, serve } from '../../../http/serving/serve.ts'
import { realmOf } from '../../../organization/realms/request-realm.ts'
import { cachedForEver, NoSuchFile, sendFile } from '../../../platform/http/send-file.ts'
import { uploadOf } from '../../../platform/http/upload.ts'
import { publicFolder } from '../../../platform/installation.ts'
import { accessUser, accessUserByEmail, NoSuchUser } from '../queries.ts'
import { accessOwnAccount } from '../settings/own-settings.ts'
import { asSeenBy, avatarUrl, unknownAvatar, withPublicEmail } from '../user-object.ts'
import { avatarFiles, changeAvatar, checkMayChangeAvatar, storingAvatar } from './avatars.ts'

export function avatarRoutes(app: App): void {
  serve(app, api.uploadAvatar, async ({ ctx, user, request }) => {
    checkMayChangeAvatar(user)
    return storingAvatar(ctx.files, user, uploadOf(request), (path) => changeOwn(ctx, user, path!))
  })

  serve(app, api.deleteAvatar, ({ ctx, user }) => changeOwn(ctx, user, null))

  imageRoutes(app)
}

async function changeOwn(ctx: Context, user: Caller, path: string | null): Promise<{ avatar_url: string }> {
  const changed = await transactIn(ctx, user.realm_id, async (tx) => {
    const own = await accessOwnAccount(tx, user)
    checkMayChangeAvatar(own.caller)
    if (path === null && own.user.avatar_path === null) return own.user
    const now = await changeAvatar(tx, own.caller.realm, own.user, path)
    if (user.bot_type !== null) await emitBotAccountUpdate(tx, own.caller.realm, user.id, ['avatar_url'])
    await tx.audit(user.id, 'avatar_changed', { user_id: user.id })
    return now
  })
  return { avatar_url: avatarUrl(withPublicEmail(changed), fakeDomain(user.realm)) }
}

const png = { 'content-type': 'image/png', ...cachedForEver }

function imageRoutes(app: App): void {
  const { ctx, server } = app
  const onRequest = authorizeFiles(app)
  const onPublicRequest = authorizeOpenFiles(app)
  server.get('/avatar/:who', { onRequest }, (request, reply) => redirect(ctx, request, reply))
  server.get('/avatar/:who/medium', { onRequest }, (request, reply) => redirect(ctx, request, reply, 'medium'))
  server.get('/user_avatars/:realm_id/:file_name', { onRequest: onPublicRequest }, (request, reply) =>
    sendImage(ctx, request, reply),
  )
  const unknownImage = readFile(join(publicFolder, 'unknown-user.png'))
  server.get(unknownAvatar, { onRequest: onPublicRequest }, async (_request, reply) =>
    reply.headers(png).send(await unknownImage),
  )
}

/**
 * For clients that know only the user's id or email. The query string is passed on to the avatar URL, which may be of
 * another server, without the caller's key.
 */
async function redirect(ctx: Context, request: FastifyRequest, reply: FastifyReply, size?: 'medium') {
  const { who } = request.params as { who: string }
  const url = await avatarUrlOf(ctx, request.caller!, who, size)
  const query = new URLSearchParams(request.url.split('?')[1])
  query.delete('api_key')
  return reply.redirect(query.size > 0 ? `${url}${url.includes('?') ? '&' : '?'}${query}` : url)
}

async function avatarUrlOf({ db }: Context, caller: Caller, who: string, size?: 'medium'): Promise<string> {
  try {
    const user = /^\d{1,15}$/.test(who)
      ? await accessUser(db, caller, Number(who))
      : await accessUserByEmail(db, caller, who)
    return avatarUrl(asSeenBy(user, caller), fakeDomain(caller.realm), size)
  } catch (error) {
    if (error instanceof NoSuchUser) return unknownAvatar
    throw error
  }
}

/** Public to anyone with the URL, because image requests from emails and notifications carry no credentials. */
async function sendImage(ctx: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { realm_id, file_name } = request.params as { realm_id: string; file_name: string }
  const [, key, size] = /^([0-9a-f]{32})(-medium)?\.png$/.exec(file_name) ?? []
  const realm = await realmOf(ctx, request)
  if (!key || realm_id !== String(realm.id)) throw new NoSuchFile()
  const [small, medium] = avatarFiles(`${realm.id}/${key}`)
  return sendFile(reply, ctx.files, size ? medium : small, png)
}
