import * as api from '@parley/api/server'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { version } from '../queues/server-generation.ts'
import { imagesOf } from '../realms/images.ts'
import { realmUrl } from '../realms/realm-url.ts'
import { emojiDataPath } from '../realms/server-state.ts'
import { listDemoAccounts } from '../sign-in/demo-accounts.ts'
import { fetchKey, fetchKeyForDemo, requireDemo } from '../sign-in/fetch-key.ts'
import { realmOf } from '../sign-in/request-realm.ts'
import { directoriesOf, externalMethods, providersOf, samlProvidersOf } from '../sign-on/providers.ts'
import { authorizeOpenFiles } from './authorize.ts'
import { answerEmojiData } from './emoji-data.ts'
import { type App, serve } from './serve.ts'

export function serverRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.getServerSettings, async ({ request }) => ({
    ...version,
    ...(await authentication(ctx, request)),
    push_notifications_enabled: false,
    is_incompatible: false,
    ...(await organizationAt(ctx, request)),
  }))

  serve(app, api.fetchApiKey, ({ request, params }) => fetchKey(ctx, request, params))

  serve(app, api.devFetchApiKey, ({ request, params }) => fetchKeyForDemo(ctx, request, params.username))

  serve(app, api.devListUsers, async ({ request }) => {
    requireDemo(ctx)
    const realm = await realmOf(ctx, request)
    return listDemoAccounts(ctx.db, realm.id, realmUrl(ctx, request, realm))
  })

  app.server.get(emojiDataPath, { onRequest: authorizeOpenFiles(app) }, answerEmojiData)
}

/** At a host without an organization, passwords are the only way that is known. */
async function authentication(ctx: Context, { headers }: FastifyRequest) {
  const realmId = await ctx.hosts.realmIdOf(headers.host)
  const realm = realmId === undefined ? undefined : (await ctx.realms.get(realmId)).realm
  const external = realm ? externalMethods(ctx.config, realm) : []
  const offered = {
    'openid connect': realm !== undefined && providersOf(ctx.config, realm).length > 0,
    saml: realm !== undefined && samlProvidersOf(ctx.config, realm).length > 0,
    ldap: realm !== undefined && directoriesOf(ctx.config, realm).length > 0,
    remoteuser: external.some(({ name }) => name === 'remoteuser'),
  }
  const methods = Object.fromEntries(api.authenticationMethods.map((name) => [name, false]))
  return {
    email_auth_enabled: true,
    require_email_format_usernames: true,
    authentication_methods: { ...methods, ...common, dev: ctx.config.mode === 'demo', ...offered },
    external_authentication_methods: external,
  }
}

const common = { password: true, email: true }

/** The settings of the organization at the request's host, if there is one. */
async function organizationAt(ctx: Context, request: FastifyRequest) {
  const realmId = await ctx.hosts.realmIdOf(request.headers.host)
  if (realmId === undefined) return {}
  const { realm } = await ctx.realms.get(realmId)
  const url = realmUrl(ctx, request, realm)
  return {
    realm_url: url,
    realm_uri: url,
    realm_name: realm.name,
    realm_icon: imagesOf(realm).icon_url,
    realm_description: realm.rendered_description,
    realm_web_public_access_enabled: false,
  }
}
