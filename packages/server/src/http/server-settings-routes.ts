import * as api from '@parley/api/server'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { hasOpenChannel } from '../conversations/web-public/access.ts'
import { version } from '../delivery/queues/server-generation.ts'
import { directoriesOf, externalMethods, providersOf, samlProvidersOf } from '../identity/providers/providers.ts'
import { listDemoAccounts } from '../identity/sign-in/demo-accounts.ts'
import { fetchKey, fetchKeyForDemo, requireDemo } from '../identity/sign-in/fetch-key.ts'
import { imagesOf } from '../organization/realms/images.ts'
import { realmUrl } from '../organization/realms/realm-url.ts'
import { realmOf } from '../organization/realms/request-realm.ts'
import { emojiDataPath } from '../organization/realms/server-state.ts'
import { answerEmojiData } from './emoji-data.ts'
import { authorizeOpenFiles } from './serving/authorize.ts'
import { type App, serve } from './serving/serve.ts'

export function serverRoutes(app: App): void {
  serve(app, api.getServerSettings, async ({ ctx, request }) => ({
    ...version,
    ...(await authentication(ctx, request)),
    push_notifications_enabled: false,
    is_incompatible: false,
    ...(await organizationAt(ctx, request)),
  }))

  serve(app, api.fetchApiKey, ({ ctx, request, params }) => fetchKey(ctx, request, params))

  serve(app, api.devFetchApiKey, ({ ctx, request, params }) => fetchKeyForDemo(ctx, request, params.username))

  serve(app, api.devListUsers, async ({ ctx, request }) => {
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
    realm_web_public_access_enabled: await hasOpenChannel(ctx.db, realm),
  }
}
