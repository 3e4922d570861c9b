import type { Operation } from '@parley/api/operation'
import type { FastifyInstance } from 'fastify'
import { encode } from '../actor.ts'
import { multipartFiles, type TestFile } from '../files.ts'

export type Values = Record<string, unknown>

export interface Answer {
  status: number
  body: Values
}

/** Calls an operation; `path` and `file` are special, all other values are parameters. */
export async function ask(
  app: FastifyInstance,
  headers: Record<string, string>,
  operation: Operation,
  values: Values,
): Promise<Answer> {
  const { path = {}, file, ...params } = values
  const parts = path as Values
  const target = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(parts[name])))
  const text = encode(params)
  const isBodyless = operation.method === 'GET' || file !== undefined
  const body = file
    ? multipartFiles([file as TestFile])
    : { headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: text }
  const response = await app.inject({
    method: operation.method,
    url: `/api/v1${target}${isBodyless && text ? `?${text}` : ''}`,
    ...(operation.method === 'GET' ? { headers } : { ...body, headers: { ...headers, ...body.headers } }),
  })
  return { status: response.statusCode, body: response.json() }
}
