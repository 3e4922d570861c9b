import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { transactIn } from '../../../context.ts'
import { authorize, confirmCaller } from '../../../http/serving/authorize.ts'
import type { App } from '../../../http/serving/serve.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { quotaOf } from '../quota.ts'
import { accessResumable, ChangedMeanwhile, type Resumable } from './access.ts'
import { cancelResumable, createResumable } from './actions.ts'
import { receive } from './receive.ts'
import { maxSize } from './resumable-limits.ts'
import { announcedUpload, checkTusVersion, tusVersion, uploadOffset } from './tus-headers.ts'

const base = '/api/v1/tus'
const bytesType = 'application/offset+octet-stream'
const gate = { access: 'user', scope: 'send' } as const

/** Resumable uploads: the tus protocol 1.0.0 with creation, termination and expiration. */
export function tusRoutes({ server, ...app }: App): void {
  void server.register(async (scope) => {
    scope.addContentTypeParser(bytesType, (_request, body, done) => done(null, body))
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers({ 'tus-resumable': tusVersion, 'cache-control': 'no-store' })
    })
    serveUploads({ ...app, server: scope })
  })
}

type Handle = (app: App, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

function serveUploads(app: App): void {
  const { server } = app
  const onRequest = authorize(app, gate)
  const serve = (method: string, url: string, handle: Handle) =>
    server.route({
      method,
      url,
      onRequest,
      config: { operation: 'tus' },
      handler: (request, reply) => withTusErrors(() => handle(app, request, reply)),
    })
  for (const url of [base, `${base}/`]) {
    server.options(url, { onRequest: authorize(app, { access: 'anyone' }) }, describe)
    serve('POST', url, create)
  }
  serve('HEAD', `${base}/:id`, report)
  serve('PATCH', `${base}/:id`, append)
  serve('DELETE', `${base}/:id`, cancel)
  // For clients behind proxies that know neither method.
  serve('POST', `${base}/:id`, (_app, request, reply) => {
    const method = request.headers['x-http-method-override']
    if (method === 'PATCH') return append(app, request, reply)
    if (method === 'DELETE') return cancel(app, request, reply)
    throw new ApiError('X-HTTP-Method-Override must be PATCH or DELETE.')
  })
}

async function describe(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const extensions = { 'tus-version': tusVersion, 'tus-extension': 'creation,termination,expiration' }
  return reply
    .code(204)
    .headers({ ...extensions, 'tus-max-size': String(maxSize) })
    .send()
}

async function create(app: App, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { ctx } = app
  const owner = request.caller!
  checkTusVersion(request.headers)
  const announced = announcedUpload(request.headers)
  const { id } = await transactIn(ctx, owner.realm_id, (tx) =>
    createResumable(tx, owner, announced, quotaOf(ctx.config, owner.realm)),
  )
  reply.code(201).header('location', `${base}/${id}`)
  const upload = await accessResumable(ctx.db, owner, id)
  if (announced.size > 0) return withState(reply, upload).send()
  return sendFinished(reply, await receiveFrom(app, request, upload, Readable.from([])))
}

async function report({ ctx }: App, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  checkTusVersion(request.headers)
  const upload = await accessResumable(ctx.db, request.caller!, idOf(request))
  return withState(reply, upload).header('upload-length', String(upload.size)).send()
}

async function append(app: App, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { headers, caller } = request
  checkTusVersion(headers)
  if (headers['content-type'] !== bytesType)
    throw new ApiError(`Content-Type must be ${bytesType}.`, 'BAD_REQUEST', { status: 415 })
  const upload = await accessResumable(app.ctx.db, caller!, idOf(request))
  if (uploadOffset(headers) !== upload.received) throw new ChangedMeanwhile()
  const after = upload.path_id === null ? await receiveFrom(app, request, upload, request.body as Readable) : upload
  return after.path_id === null ? withState(reply, after).code(204).send() : sendFinished(reply.code(200), after)
}

function receiveFrom(app: App, request: FastifyRequest, upload: Resumable, body: Readable): Promise<Resumable> {
  return receive(app.ctx, () => confirmCaller(app, gate, request), upload, body)
}

async function cancel({ ctx }: App, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const owner = request.caller!
  checkTusVersion(request.headers)
  const { id, path_id } = await accessResumable(ctx.db, owner, idOf(request))
  if (path_id !== null) throw new ApiError('The upload is finished: delete the attachment instead.')
  await transactIn(ctx, owner.realm_id, (tx) => cancelResumable(tx, owner, id))
  return reply.code(204).send()
}

function idOf({ params }: FastifyRequest): string {
  return (params as { id: string }).id
}

function withState(reply: FastifyReply, { received, expires_at }: Resumable): FastifyReply {
  return reply.headers({ 'upload-offset': String(received), 'upload-expires': expires_at.toUTCString() })
}

/** Zulip's clients take the URL of the file from the response to the last bytes. */
function sendFinished(reply: FastifyReply, upload: Resumable): FastifyReply {
  const body = { url: `/user_uploads/${upload.path_id}`, filename: upload.name || 'uploaded-file' }
  return withState(reply, upload).send({ result: 'success', msg: '', ...body })
}

/** Clients of this protocol show `message`, and Uppy retries after a 400 but not after another 4xx. */
async function withTusErrors(work: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const status = error.status !== 400 ? error.status : error.code === 'REALM_UPLOAD_QUOTA' ? 413 : 422
    const fields = { ...error.fields, message: error.message }
    throw new ApiError(error.message, error.code, { status, fields, headers: error.headers })
  }
}
