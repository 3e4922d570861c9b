import type { FastifyReply, FastifyRequest } from 'fastify'
import { authorizeAgent } from '../../http/serving/authorize.ts'
import type { App } from '../../http/serving/serve.ts'
import { checkJsonShape } from '../../platform/http/json-shape.ts'
import { answerRpc, RpcError, type RpcRequest, rpcCodes } from './protocol.ts'

const largestBody = 1024 * 1024

/** The Model Context Protocol, without sessions: any process answers any request. */
export function agentRoutes(app: App): void {
  void app.server.register(async (server) => {
    server.removeAllContentTypeParsers()
    server.addContentTypeParser('*', { parseAs: 'string', bodyLimit: largestBody }, (_request, body, done) =>
      done(null, body),
    )
    server.post('/mcp', { onRequest: authorizeAgent(app) }, (request, reply) => answer(app, request, reply))
    server.route({
      method: ['GET', 'DELETE'],
      url: '/mcp',
      handler: (_request, reply) => reply.code(405).header('allow', 'POST').send(),
    })
  })
}

async function answer({ ctx, server }: App, request: FastifyRequest, reply: FastifyReply) {
  let id: RpcRequest['id'] | null = null
  try {
    const rpc = readRpc(request.body)
    id = rpc.id ?? null
    if (id === null) return reply.code(202).send() // a notification has no answer
    const caller = request.caller!
    const credential = caller.credential!
    const agent = { id: credential.id, userId: caller.id, realmId: caller.realm_id, credential, server, request }
    return { jsonrpc: '2.0', id, result: await answerRpc(agent, rpc, ctx.db) }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return reply.code(400).send({ jsonrpc: '2.0', id, error: { code: error.code, message: error.message } })
  }
}

function readRpc(body: unknown): RpcRequest {
  const rpc = parsed(body) as RpcRequest | null
  const isRequest = typeof rpc === 'object' && rpc !== null && typeof rpc.method === 'string'
  if (!isRequest || !['string', 'number', 'undefined'].includes(typeof rpc.id))
    throw new RpcError(rpcCodes.request, 'Send one JSON-RPC request with a method.')
  if (rpc.params !== undefined && (typeof rpc.params !== 'object' || rpc.params === null || Array.isArray(rpc.params)))
    throw new RpcError(rpcCodes.params, 'The params of a request are an object.')
  return rpc
}

function parsed(body: unknown): unknown {
  try {
    checkJsonShape('The body', String(body ?? ''))
    return JSON.parse(String(body ?? ''))
  } catch {
    throw new RpcError(rpcCodes.parse, 'The body is not JSON, or nested too deeply.')
  }
}
