import type { FastifyInstance, FastifyRequest } from 'fastify'
import { demoHosts } from '../config.ts'
import type { Context } from '../context.ts'
import { defaultGroupRoutes } from '../conversations/channels/default-groups/routes.ts'
import { channelRoutes } from '../conversations/channels/routes.ts'
import { channelUpdateRoutes } from '../conversations/channels/settings/update-routes.ts'
import { subscriptionRoutes } from '../conversations/channels/subscriptions/subscription-routes.ts'
import { flagRoutes } from '../conversations/flags/routes.ts'
import { draftRoutes } from '../conversations/later/drafts/routes.ts'
import { reminderRoutes } from '../conversations/later/reminders/routes.ts'
import { scheduledRoutes } from '../conversations/later/scheduled/routes.ts'
import { deletionRoutes } from '../conversations/messages/delete/delete-routes.ts'
import { editingRoutes } from '../conversations/messages/edit/edit-routes.ts'
import { readingRoutes } from '../conversations/messages/fetch/fetch-routes.ts'
import { channelPinRoutes } from '../conversations/messages/pins/routes.ts'
import { renderRoutes } from '../conversations/messages/rendering/render-routes.ts'
import { reportRoutes } from '../conversations/messages/reports/routes.ts'
import { messageRoutes } from '../conversations/messages/send/send-routes.ts'
import { mutingRoutes } from '../conversations/muting/routes.ts'
import { reactionRoutes } from '../conversations/reactions/routes.ts'
import { topicRoutes } from '../conversations/topics/routes.ts'
import { typingRoutes } from '../conversations/typing/routes.ts'
import { tusRoutes } from '../conversations/uploads/resumable/tus-routes.ts'
import { uploadRoutes } from '../conversations/uploads/routes.ts'
import { openChannelRoutes } from '../conversations/web-public/routes.ts'
import { widgetRoutes } from '../conversations/widgets/routes.ts'
import { agentRoutes } from '../delivery/agents/routes.ts'
import { botRoutes } from '../delivery/bots/routes.ts'
import { callRoutes } from '../delivery/calls/routes.ts'
import { unsubscribeRoutes } from '../delivery/email-notifications/unsubscribe-routes.ts'
import { inRoutes } from '../delivery/hooks/in-routes.ts'
import { hookRoutes } from '../delivery/hooks/routes.ts'
import { linkPreviewRoutes } from '../delivery/link-previews/routes.ts'
import { mailRoutes } from '../delivery/mail/routes.ts'
import { notificationRoutes } from '../delivery/notifications/routes.ts'
import { pushRoutes } from '../delivery/push/routes.ts'
import { queueRoutes } from '../delivery/queues/routes.ts'
import { interactiveRoutes } from '../delivery/webhooks/interactive/routes.ts'
import { webhookRoutes } from '../delivery/webhooks/routes.ts'
import { type Origin, runFrom } from '../events/origin.ts'
import { emailChangeRoutes, emailRoutes } from '../identity/accounts/email-routes.ts'
import { signUpRoutes } from '../identity/accounts/join/routes.ts'
import { userAdministrationRoutes } from '../identity/accounts/routes.ts'
import { invitationRoutes } from '../identity/invitations/routes.ts'
import { passwordRoutes } from '../identity/passwords/password-routes.ts'
import { signOnRoutes } from '../identity/providers/routes.ts'
import { samlRoutes } from '../identity/providers/saml/saml-routes.ts'
import { scimRoutes } from '../identity/scim/routes.ts'
import { secondFactorRoutes } from '../identity/second-factors/routes.ts'
import { sessionRoutes } from '../identity/sessions/session-routes.ts'
import { homeRoutes } from '../identity/sign-in/pages/home-routes.ts'
import { loginRoutes } from '../identity/sign-in/pages/login-routes.ts'
import { resetRoutes } from '../identity/sign-in/pages/reset-routes.ts'
import { startRoutes } from '../identity/sign-in/pages/start-routes.ts'
import { auditRoutes } from '../operation/audit/routes.ts'
import { exportRoutes } from '../operation/export/routes.ts'
import { failedJobRoutes } from '../operation/failed-jobs/routes.ts'
import { retentionRoutes } from '../operation/retention/routes.ts'
import { domainRoutes } from '../organization/domains/routes.ts'
import { emojiRoutes } from '../organization/emoji/routes.ts'
import { folderRoutes } from '../organization/folders/routes.ts'
import { groupRoutes } from '../organization/groups/routes.ts'
import { linkifierRoutes } from '../organization/linkifiers/routes.ts'
import { playgroundRoutes } from '../organization/playgrounds/routes.ts'
import { hostNameOf } from '../organization/realms/hosts.ts'
import { organizationRoutes } from '../organization/realms/organization-routes.ts'
import { realmRoutes } from '../organization/realms/routes.ts'
import { serverSettingRoutes } from '../organization/server-settings/routes.ts'
import { alertWordRoutes } from '../people/alert-words/routes.ts'
import { presenceRoutes } from '../people/presence/routes.ts'
import { profileFieldRoutes } from '../people/profile-fields/routes.ts'
import { snippetRoutes } from '../people/snippets/routes.ts'
import { statusRoutes } from '../people/status/routes.ts'
import { avatarRoutes } from '../people/users/avatars/avatar-routes.ts'
import { userRoutes } from '../people/users/routes.ts'
import { settingsRoutes } from '../people/users/settings/settings-routes.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { createServer } from '../platform/http/server.ts'
import { SharedLimits } from '../platform/http/shared-limits.ts'
import { ServerStopping } from '../platform/http/shutdown.ts'
import type { TimedResponse } from '../platform/http/timed-response.ts'
import { webRoutes } from '../web/web-routes.ts'
import { docsRoutes } from './docs/docs-routes.ts'
import { sendErrorPage } from './error-page.ts'
import { helpRoutes } from './help/help-routes.ts'
import { logRequest } from './log-requests.ts'
import { refuseWritesInMaintenance } from './maintenance.ts'
import { operatorRoutes } from './operator-routes.ts'
import { answerPlainPoll } from './plain-polls.ts'
import { serverRoutes } from './server-settings-routes.ts'
import { rateLimitOf } from './serving/quotas.ts'
import type { App } from './serving/serve.ts'
import { staticRoutes } from './static-routes.ts'

/** The routes of every feature. */
const features = [
  serverRoutes,
  userRoutes,
  avatarRoutes,
  userAdministrationRoutes,
  settingsRoutes,
  emailChangeRoutes,
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
  notificationRoutes,
  callRoutes,
  domainRoutes,
  serverSettingRoutes,
  botRoutes,
  interactiveRoutes,
  webhookRoutes,
  hookRoutes,
  inRoutes,
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
  retentionRoutes,
  failedJobRoutes,
  channelRoutes,
  subscriptionRoutes,
  channelUpdateRoutes,
  defaultGroupRoutes,
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
  channelPinRoutes,
  reminderRoutes,
  reportRoutes,
  linkPreviewRoutes,
  agentRoutes,
  openChannelRoutes,
  presenceRoutes,
  typingRoutes,
  widgetRoutes,
  queueRoutes,
  docsRoutes,
  helpRoutes,
  staticRoutes,
  operatorRoutes,
]

export function buildApp(ctx: Context): FastifyInstance {
  return build(ctx, features, answerPlainPoll).server
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

function build(ctx: Context, routes: ((app: App) => void)[], answerFirst?: typeof answerPlainPoll): App {
  const server = createServer({
    log: ctx.log,
    trustProxy: ctx.config.trustProxy,
    publicUrl: ctx.config.publicUrl,
    sendErrorPage,
    isSecure: ctx.config.tls !== undefined,
    ...(answerFirst && { answerFirst: (request, response) => answerFirst(app, request, response) }),
  })
  server.decorateRequest('caller', undefined)
  const shared = new SharedLimits(ctx.pool, ctx.log)
  const perUser = () => rateLimitOf(ctx) || 1
  const limits = {
    user: shared.add('requests', perUser),
    refused: shared.add('refused', 100),
    // A whole office may start its clients at once behind one IP address.
    signIn: shared.add('sign-ins', 1000),
    open: shared.add('open', 1000),
    readers: shared.add('readers', 120),
    files: shared.add('files', () => filesPerRequest * perUser()),
    // Entra expects 25 requests per second.
    provisioning: shared.add('provisioning', 3000),
    testEmails: shared.add('test emails', 3),
    // Each makes a call of an agent fail.
    stops: shared.add('stops', 5),
  }
  server.addHook('onClose', async () => shared.close())
  // After the body was read, which would leave this context.
  server.addHook('preHandler', (request, _reply, done) => runFrom(() => originOf(request), done))
  divertReads(server, ctx)
  refuseWritesInMaintenance(server, ctx)
  const names = demoHosts(ctx.config)
  if (names) refuseForeignHosts(server, ctx, names)
  const app: App = { server, ctx, limits }
  for (const addRoutes of routes) addRoutes(app)
  ctx.slowClients.watch(server.server)
  ctx.shutdown.watch(server.server, (response) => {
    countAnswer(ctx, response)
    logRequest(ctx, response)
  })
  return app
}

/** Long polls have no duration that says anything. */
function countAnswer({ metrics }: Context, { operation, statusCode, startedAt }: TimedResponse): void {
  const milliseconds = operation === 'getEvents' ? undefined : performance.now() - startedAt
  metrics.answered(operation ?? 'other', statusCode, milliseconds)
}
