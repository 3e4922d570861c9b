import assert from 'node:assert/strict'
import * as api from '@parley/api/conversations/uploads'
import type { Operation } from '@parley/api/operation'
import type { FastifyInstance } from 'fastify'
import type { Actor, ErrorBody } from './actor.ts'
import { assertError, assertResponse } from './schema.ts'
import type { World } from './world.ts'

export interface TestFile {
  content: Buffer | string
  filename?: string
  type?: string
  field?: string
}

const boundary = 'parley-test-files'

export function multipartFiles(files: TestFile[]): { headers: Record<string, string>; payload: Buffer } {
  const parts = files.flatMap(
    ({ content, filename = 'file.bin', type = 'application/octet-stream', field = 'file' }) => [
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`,
      content,
      '\r\n',
    ],
  )
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([...parts, `--${boundary}--\r\n`].map((part) => Buffer.from(part))),
  }
}

async function post(app: FastifyInstance, by: Actor, operation: Operation, path: object, files: TestFile[]) {
  const parts = path as Record<string, string>
  const url = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name]!))
  const { headers, payload } = multipartFiles(files)
  return app.inject({ method: 'POST', url: `/api/v1${url}`, headers: { ...by.headers, ...headers }, payload })
}

/** Calls an upload operation that must succeed. */
export async function uploads(
  app: FastifyInstance,
  by: Actor,
  operation: Operation,
  path: object,
  ...files: TestFile[]
): Promise<Record<string, unknown>> {
  const response = await post(app, by, operation, path, files)
  assert.equal(response.statusCode, 200, response.body)
  assertResponse(operation.name, response.json())
  return response.json()
}

export async function isRefusedUpload(
  app: FastifyInstance,
  by: Actor,
  operation: Operation,
  path: object,
  ...files: TestFile[]
): Promise<ErrorBody> {
  const response = await post(app, by, operation, path, files)
  assert.ok(response.statusCode >= 400 && response.statusCode < 500, response.body)
  const body = response.json() as ErrorBody
  assertError(body)
  return { ...body, status: response.statusCode }
}

/** Uploads a file and returns its URL. */
export async function upload({ app }: World, by: Actor, file: TestFile): Promise<string> {
  return (await uploads(app, by, api.uploadFile, {}, file)).url as string
}

/** Fetches a file as a browser or an app would. */
export function fetches({ app }: World, by: Actor, url: string, headers: Record<string, string> = {}) {
  return app.inject({ url, headers: { ...by.headers, ...headers } })
}

export async function attachmentsOf(actor: Actor) {
  return (await actor.does(api.getAttachments)).attachments
}

/** The paths of a realm's files in the file store. */
export async function storedFiles({ ctx, realmId }: World): Promise<string[]> {
  const all = await Array.fromAsync(ctx.files.list())
  return all.map(({ path }) => path).filter((path) => path.split('/')[1] === String(realmId))
}

/** Tests of what only the local store does. */
export const localOnly = process.env.PARLEY_TEST_FILES_URL ? 'the tests store files in S3' : false
