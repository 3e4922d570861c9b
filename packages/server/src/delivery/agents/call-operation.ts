import type { Operation, ParamsOf, ResponseOf } from '@parley/api/operation'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TProperties } from 'typebox'
import type { Credential } from '../../callers/credential.ts'
import { toolCall } from '../../callers/tool-calls.ts'

/** Why a tool could not do what it was asked. The agent reads it. */
export class ToolRefusal extends Error {}

/** The agent that calls a tool. */
export interface Agent {
  id: number
  realmId: number
  userId: number
  credential: Credential
  server: FastifyInstance
  request: FastifyRequest
}

/**
 * Calls an operation of the API as the agent's user, within this process. So permissions, rate limits, idempotency and audit are
 * those of every other client; what the agent may use beyond that is for its tools to check.
 */
export async function callOperation<P extends TProperties, Q extends TProperties, R extends TProperties>(
  { server, request }: Agent,
  operation: Operation<P, Q, R>,
  { path = {}, ...params }: Partial<ParamsOf<Operation<P, Q, R>>> & { path?: Record<string, unknown> } = {},
  idempotencyKey?: string,
): Promise<ResponseOf<Operation<P, Q, R>>> {
  const target = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(new Map(Object.entries(path)).get(name))),
  )
  const text = new URLSearchParams(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  ).toString()
  const isRead = operation.method === 'GET'
  const response = await server.inject({
    method: operation.method,
    url: `/api/v1${target}${isRead ? `?${text}` : ''}`,
    remoteAddress: request.ip,
    headers: {
      ...headersOf(request),
      ...(!isRead && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(!isRead && { payload: text }),
  })
  const body = response.json() as { result: string; msg: string }
  if (body.result !== 'success') throw new ToolRefusal(body.msg)
  return body as never
}

/** The credentials of the agent, marked as used by one of its tools. */
function headersOf({ headers: { authorization = '', host = '' } }: FastifyRequest) {
  return { ...toolCall, authorization, host, 'user-agent': 'agent/1' }
}

/** A part of a file that the agent's user may read, and the size of the whole. */
export async function getFile(
  { server, request }: Agent,
  pathId: string,
  { start, end }: { start: number; end: number },
): Promise<{ bytes: Buffer; size: number }> {
  const response = await server.inject({
    method: 'GET',
    url: `/user_uploads/${encodeURI(pathId)}`,
    remoteAddress: request.ip,
    headers: { ...headersOf(request), range: `bytes=${start}-${end}` },
  })
  const size = Number(String(response.headers['content-range'] ?? '').split('/')[1])
  if (response.statusCode === 416) return { bytes: Buffer.alloc(0), size }
  if (response.statusCode !== 206) throw new ToolRefusal('The file cannot be read.')
  return { bytes: response.rawPayload, size }
}
