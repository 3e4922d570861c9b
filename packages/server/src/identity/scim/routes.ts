import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Context, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { countRefused } from '../../http/serving/authorize.ts'
import { quotaHeaders } from '../../http/serving/quotas.ts'
import type { App } from '../../http/serving/serve.ts'
import { realmUrl } from '../../organization/realms/realm-url.ts'
import { realmOf } from '../../organization/realms/request-realm.ts'
import { FairQueue } from '../../platform/fair-queue.ts'
import type { RawParams } from '../../platform/http/body.ts'
import { refuseBrokenText } from '../../platform/http/decode.ts'
import { replyPayload } from '../../platform/http/server.ts'
import { checkRealmActive } from '../sign-in/accounts.ts'
import { resourceTypes, schemaResources, serviceProviderConfig } from './discovery.ts'
import type { Comparison } from './filter.ts'
import { createScimGroup, deleteScimGroup, patchScimGroup, replaceScimGroup } from './group-actions.ts'
import { findScimGroup, groupResource, groupSchema, listScimGroups } from './group-queries.ts'
import { idIn, listResponse, namesIn, type Page, readListParams, shownAttributes } from './list.ts'
import { type Json, readPatch, readResource } from './patch.ts'
import { asScimError, NoSuchResource, ScimError } from './scim-error.ts'
import { accessScimToken, type ScimToken, touchScimToken } from './tokens.ts'
import { createScimUser, deleteScimUser, patchScimUser, replaceScimUser } from './user-actions.ts'
import { applyToProfile } from './user-profile.ts'
import { findScimUser, listScimUsers } from './user-queries.ts'
import { userResource, userSchema } from './user-resource.ts'

const prefix = '/scim/v2'
const type = 'application/scim+json; charset=utf-8'

/** SCIM 2.0 (RFC 7643, RFC 7644): identity providers manage users and groups. */
export function scimRoutes(app: App): void {
  app.server.decorateRequest('scimToken', undefined)
  void app.server.register(async (server) => {
    readScimBodies(server)
    server.setErrorHandler((error: Error, { routeOptions: { url = 'unknown' } }, reply) => {
      const answer = asScimError(replyPayload(error, url, app.ctx.log))
      return reply.code(answer.status).headers(answer.headers).type(type).send(answer.body())
    })
    server.addHook('onRequest', async (request, reply) => {
      request.scimToken = await authorizeScim(app, request, reply)
    })
    const scoped = { ...app, server }
    discoveryRoutes(scoped)
    for (const kind of [users(app.ctx), groups(app.ctx)]) resourceRoutes(scoped, kind)
  })
}

function readScimBodies(server: FastifyInstance): void {
  server.removeContentTypeParser('application/json')
  const parse = (text: string) =>
    JSON.parse(text, (name, value) => {
      if (typeof value === 'string') refuseBrokenText(name, value)
      return value
    })
  server.addContentTypeParser(
    ['application/scim+json', 'application/json'],
    { parseAs: 'string' },
    (_request, body, done) => {
      try {
        done(null, body === '' ? undefined : parse(body as string))
      } catch {
        done(new ScimError('The request body is not valid JSON.', 'invalidSyntax'))
      }
    },
  )
}

async function authorizeScim(app: App, request: FastifyRequest, reply: FastifyReply): Promise<ScimToken> {
  const { ctx } = app
  const realm = await realmOf(ctx, request)
  const token = await countRefused(app, request, reply, () =>
    accessScimToken(ctx.db, realm.id, request.headers.authorization),
  )
  checkRealmActive(realm)
  reply.headers(quotaHeaders(app, request.ip, app.limits.provisioning, `token ${token.id}`) ?? {})
  await touchScimToken(ctx.db, token)
  return token
}

interface ScimCall {
  realmId: number
  query: RawParams
  body: unknown
  base: string
  /** The last part of the URL, if it names a resource. */
  name: string
}

type Handle = (call: ScimCall) => Promise<Json | undefined>

/**
 * Organizations take turns. Writes of one organization wait for each other's locks, so that they do that here, where
 * they occupy no connection to the database.
 */
const writes = new FairQueue({ concurrency: 2, concurrencyPerOwner: 1, waitingPerOwner: 500, waitingInTotal: 2000 })

function serveScim({ server, ctx }: App, method: string, path: string, handle: Handle, status = 200): void {
  server.route({
    method,
    url: prefix + path,
    config: { operation: 'scim' },
    handler: async (request, reply) => {
      const realm = await realmOf(ctx, request)
      const { name = '' } = request.params as { name?: string }
      const query = request.query as RawParams
      for (const [key, text] of Object.entries({ ...query, name })) refuseBrokenText(key, text)
      const base = `${realmUrl(ctx, request, realm)}${prefix}`
      const work = () => handle({ realmId: realm.id, query, body: request.body, base, name })
      const write = async () => {
        // The token may have been revoked while the body was sent slowly, or while the request waited.
        await accessScimToken(ctx.db, realm.id, request.headers.authorization)
        return work()
      }
      const answer = await (method === 'GET' ? work() : writes.run(String(realm.id), write))
      if (!answer) return reply.code(204).send()
      if (status === 201) reply.header('location', (answer.meta as { location: string }).location)
      return reply.code(status).type(type).send(JSON.stringify(answer))
    },
  })
}

function discoveryRoutes(app: App): void {
  serveScim(app, 'GET', '/ServiceProviderConfig', async ({ base }) => serviceProviderConfig(base))
  for (const [path, read] of [
    ['/ResourceTypes', resourceTypes],
    ['/Schemas', schemaResources],
  ] as const) {
    serveScim(app, 'GET', path, async ({ base }) => {
      const all = read(base)
      return listResponse(all, { offset: 0, limit: all.length }, all.length)
    })
    serveScim(app, 'GET', `${path}/:name`, async ({ base, name }) =>
      orMissing(read(base).find(({ id }) => id === name)),
    )
  }
}

function orMissing<T>(found: T | undefined): T {
  if (found === undefined) throw new NoSuchResource()
  return found
}

/** The routes of a type of resource. */
interface Kind {
  path: string
  find(call: ScimCall, id: number): Promise<Json | undefined>
  list(call: ScimCall, filter: Comparison[], page: Page): Promise<{ resources: Json[]; total: number }>
  create(tx: Tx, body: unknown): Promise<number>
  replace(tx: Tx, id: number, body: unknown): Promise<void>
  patch(tx: Tx, id: number, body: unknown): Promise<void>
  remove(tx: Tx, id: number): Promise<void>
  /** Not for groups, which may have thousands of members. */
  showsPatched: boolean
}

function resourceRoutes(app: App, { path, showsPatched, ...kind }: Kind): void {
  const one = `${path}/:name`
  const show = async (call: ScimCall, id: number) => shownAttributes(orMissing(await kind.find(call, id)), call.query)
  const inTx = <T>({ realmId }: ScimCall, work: (tx: Tx) => Promise<T>) => transactIn(app.ctx, realmId, work)

  serveScim(app, 'GET', path, async (call) => {
    const { filter, page } = readListParams(call.query)
    const { resources, total } = await kind.list(call, filter, page)
    return listResponse(
      resources.map((resource) => shownAttributes(resource, call.query)),
      page,
      total,
    )
  })
  serveScim(app, 'POST', path, async (call) => show(call, await inTx(call, (tx) => kind.create(tx, call.body))), 201)
  serveScim(app, 'GET', one, (call) => show(call, idIn(call.name)))
  serveScim(app, 'PUT', one, async (call) => {
    await inTx(call, (tx) => kind.replace(tx, idIn(call.name), call.body))
    return show(call, idIn(call.name))
  })
  serveScim(app, 'PATCH', one, async (call) => {
    await inTx(call, (tx) => kind.patch(tx, idIn(call.name), call.body))
    return showsPatched ? show(call, idIn(call.name)) : undefined
  })
  serveScim(app, 'DELETE', one, async (call) => {
    await inTx(call, (tx) => kind.remove(tx, idIn(call.name)))
    return undefined
  })
}

function users(ctx: Context): Kind {
  const profileIn = (body: unknown) => applyToProfile({}, readResource(body, userSchema))
  return {
    path: '/Users',
    find: async ({ realmId, base }, id) => {
      const user = await findScimUser(ctx.db, realmId, id)
      return user && userResource(user, base)
    },
    list: async ({ realmId, base }, filter, page) => {
      const { rows, total } = await listScimUsers(ctx.db, realmId, filter, page)
      return { resources: rows.map((row) => userResource(row, base)), total }
    },
    create: (tx, body) => createScimUser(tx, ctx, profileIn(body)),
    replace: (tx, id, body) => replaceScimUser(tx, ctx, id, profileIn(body)),
    patch: (tx, id, body) => patchScimUser(tx, ctx, id, readPatch(body)),
    remove: (tx, id) => deleteScimUser(tx, ctx, id),
    showsPatched: true,
  }
}

function groups({ db }: Context): Kind {
  return {
    path: '/Groups',
    find: async ({ realmId, base }, id) => {
      const group = await findScimGroup(db, realmId, id)
      return group && groupResource(group, base)
    },
    list: async ({ realmId, base, query }, filter, page) => {
      const withMembers = !namesIn(query.excludedAttributes ?? '').has('members')
      const { rows, total } = await listScimGroups(db, realmId, filter, page, withMembers)
      return { resources: rows.map((row) => groupResource(row, base)), total }
    },
    create: (tx, body) => createScimGroup(tx, readResource(body, groupSchema)),
    replace: (tx, id, body) => replaceScimGroup(tx, id, readResource(body, groupSchema)),
    patch: (tx, id, body) => patchScimGroup(tx, id, readPatch(body)),
    remove: (tx, id) => deleteScimGroup(tx, id),
    showsPatched: false,
  }
}
