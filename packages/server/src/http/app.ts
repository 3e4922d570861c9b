import type { FastifyInstance, FastifyRequest } from 'fastify'
import { userAdministrationRoutes } from '../accounts/routes.ts'
import { alertWordRoutes } from '../alert-words/routes.ts'
import { auditRoutes } from '../audit/routes.ts'
import { demoHosts } from '../boot/config.ts'
import { botRoutes } from '../bots/routes.ts'
import { callRoutes } from '../calls/routes.ts'
import { channelRoutes } from '../channels/routes.ts'
import { channelUpdateRoutes } from '../channels/settings/update-routes.ts'
import { subscriptionRoutes } from '../channels/subscriptions/subscription-routes.ts'
import type { Context } from '../context.ts'
import { domainRoutes } from '../domains/routes.ts'
import { draftRoutes } from '../drafts/routes.ts'
import { unsubscribeRoutes } from '../email-notifications/unsubscribe-routes.ts'
import { emojiRoutes } from '../emoji/routes.ts'
import { type Origin, runFrom } from '../events/origin.ts'
import { exportRoutes } from '../export/routes.ts'
import { failedJobRoutes } from '../failed-jobs/routes.ts'
import { flagRoutes } from '../flags/routes.ts'
import { folderRoutes } from '../folders/routes.ts'
import { groupRoutes } from '../groups/routes.ts'
import { invitationRoutes } from '../invitations/routes.ts'
import { linkifierRoutes } from '../linkifiers/routes.ts'
import { mailRoutes } from '../mail/routes.ts'
import { deletionRoutes } from '../messages/delete/delete-routes.ts'
import { editingRoutes } from '../messages/edit/edit-routes.ts'
import { readingRoutes } from '../messages/fetch/fetch-routes.ts'
import { renderRoutes } from '../messages/rendering/render-routes.ts'
import { messageRoutes } from '../messages/routes.ts'
import { mutingRoutes } from '../muting/routes.ts'
import { homeRoutes } from '../pages/home-routes.ts'
import { loginRoutes } from '../pages/login-routes.ts'
import { resetRoutes } from '../pages/reset-routes.ts'
import { startRoutes } from '../pages/start-routes.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { answerFirst, createServer } from '../platform/http/server.ts'
import { SharedLimits } from '../platform/http/shared-limits.ts'
import { ServerStopping } from '../platform/http/shutdown.ts'
import type { TimedResponse } from '../platform/http/timed-response.ts'
import { playgroundRoutes } from '../playgrounds/routes.ts'
import { presenceRoutes } from '../presence/routes.ts'
import { profileFieldRoutes } from '../profile-fields/routes.ts'
import { pushRoutes } from '../push/routes.ts'
import { queueRoutes } from '../queues/routes.ts'
import { reactionRoutes } from '../reactions/routes.ts'
import { hostNameOf } from '../realms/hosts.ts'
import { organizationRoutes } from '../realms/organization-routes.ts'
import { realmRoutes } from '../realms/routes.ts'
import { scheduledRoutes } from '../scheduled/routes.ts'
import { scimRoutes } from '../scim/routes.ts'
import { secondFactorRoutes } from '../second-factors/routes.ts'
import { emailRoutes } from '../sign-in/email-routes.ts'
import { passwordRoutes } from '../sign-in/password-routes.ts'
import { sessionRoutes } from '../sign-in/session-routes.ts'
import { signOnRoutes } from '../sign-on/routes.ts'
import { samlRoutes } from '../sign-on/saml-routes.ts'
import { signUpRoutes } from '../sign-up/routes.ts'
import { snippetRoutes } from '../snippets/routes.ts'
import { statusRoutes } from '../status/routes.ts'
import { topicRoutes } from '../topics/routes.ts'
import { typingRoutes } from '../typing/routes.ts'
import { tusRoutes } from '../uploads/resumable/tus-routes.ts'
import { uploadRoutes } from '../uploads/routes.ts'
import { avatarRoutes } from '../users/avatar-routes.ts'
import { userRoutes } from '../users/routes.ts'
import { settingsRoutes } from '../users/settings-routes.ts'
import { webRoutes } from '../web/web-routes.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { widgetRoutes } from '../widgets/routes.ts'
import { docsRoutes } from './docs-routes.ts'
import { sendErrorPage } from './error-page.ts'
import { operatorRoutes } from './operator-routes.ts'
import { answerPlainPoll } from './plain-polls.ts'
import type { App } from './serve.ts'
import { serverRoutes } from './server-settings-routes.ts'
import { staticRoutes } from './static-routes.ts'

/** The routes of every feature. */
const features = [
  serverRoutes,
  userRoutes,
  avatarRoutes,
  userAdministrationRoutes,
  settingsRoutes,
  emailRoutes,
  unsubscribeRoutes,
  sessionRoutes,
  secondFactorRoutes,
  passwordRoutes,
  resetRoutes,
  loginRoutes,
  homeRoutes,
  startRoutes,
  mutingRoutes,
  alertWordRoutes,
  statusRoutes,
  pushRoutes,
  callRoutes,
  domainRoutes,
  botRoutes,
  webhookRoutes,
  webRoutes,
  invitationRoutes,
  signUpRoutes,
  signOnRoutes,
  samlRoutes,
  scimRoutes,
  mailRoutes,
  groupRoutes,
  realmRoutes,
  organizationRoutes,
  profileFieldRoutes,
  linkifierRoutes,
  playgroundRoutes,
  emojiRoutes,
  uploadRoutes,
  tusRoutes,
  exportRoutes,
  auditRoutes,
  failedJobRoutes,
  channelRoutes,
  subscriptionRoutes,
  channelUpdateRoutes,
  folderRoutes,
  messageRoutes,
  readingRoutes,
  editingRoutes,
  renderRoutes,
  deletionRoutes,
  flagRoutes,
  topicRoutes,
  reactionRoutes,
  snippetRoutes,
  draftRoutes,
  scheduledRoutes,
  presenceRoutes,
  typingRoutes,
  widgetRoutes,
  queueRoutes,
  docsRoutes,
  staticRoutes,
  operatorRoutes,
]

export function buildApp(ctx: Context): FastifyInstance {
  const app = build(ctx, features)
  answerFirst(app.server, (request, response) => answerPlainPoll(app, request, response))
  return app.server
}

/** For a process that serves no clients: only the routes for operators. */
export function buildOperatorApp(ctx: Context): FastifyInstance {
  return build(ctx, [(app) => operatorRoutes(app, true)]).server
}

/** A page shows many images at once, so the limit for files is this many times as high. */
const filesPerRequest = 5

/** A demo answers only on its own hosts, even where no organization is involved. */
function refuseForeignHosts(server: FastifyInstance, { hosts }: Context, names: ReadonlySet<string>): void {
  server.addHook('onRequest', async ({ headers }) => {
    if (names.has(hostNameOf(headers.host) ?? '')) return
    if ((await hosts.realmIdOf(headers.host)) === undefined)
      throw new ApiError('The demo answers only on this machine: use http://localhost.', 'NONEXISTENT_SUBDOMAIN')
  })
}

function divertReads(server: FastifyInstance, { shutdown }: Context): void {
  server.addHook('onRequest', ({ method, url }, _reply, done) => {
    const isDiverted = shutdown.divertsReads && ['GET', 'HEAD'].includes(method) && !url.startsWith('/health')
    done(isDiverted ? new ServerStopping() : undefined)
  })
}

function originOf({ caller, scimToken, ip }: FastifyRequest): Origin {
  if (scimToken) return { via: 'scim', credential_id: scimToken.id, ip_address: ip }
  const via = caller ? (caller.credential?.kind ?? 'key') : 'request'
  return { via, credential_id: caller?.credential?.id ?? null, ip_address: ip }
}

function build(ctx: Context, routes: ((app: App) => void)[]): App {
  const server = createServer({
    log: ctx.log,
    trustProxy: ctx.config.trustProxy,
    publicUrl: ctx.config.publicUrl,
    sendErrorPage,
  })
  server.decorateRequest('caller', undefined)
  const shared = new SharedLimits(ctx.pool, ctx.log)
  const perUser = ctx.config.rateLimit || 1
  const limits = {
    user: shared.add('requests', perUser),
    refused: shared.add('refused', 100),
    // A whole office may start its clients at once behind one IP address.
    signIn: shared.add('sign-ins', 1000),
    open: shared.add('open', 1000),
    files: shared.add('files', filesPerRequest * perUser),
    // Entra expects 25 requests per second.
    provisioning: shared.add('provisioning', 3000),
  }
  server.addHook('onClose', async () => shared.close())
  // After the body was read, which would leave this context.
  server.addHook('preHandler', (request, _reply, done) => runFrom(() => originOf(request), done))
  divertReads(server, ctx)
  const names = demoHosts(ctx.config)
  if (names) refuseForeignHosts(server, ctx, names)
  const app: App = { server, ctx, limits }
  for (const addRoutes of routes) addRoutes(app)
  ctx.slowClients.watch(server.server)
  ctx.shutdown.watch(server.server, (response) => countAnswer(ctx, response))
  return app
}

/** Long polls have no duration that says anything. */
function countAnswer({ metrics }: Context, { operation, statusCode, startedAt }: TimedResponse): void {
  const milliseconds = operation === 'getEvents' ? undefined : performance.now() - startedAt
  metrics.answered(operation ?? 'other', statusCode, milliseconds)
}
