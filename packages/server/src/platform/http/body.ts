import { parse as parseQuery } from 'fast-querystring'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from './api-error.ts'
import { checkJsonShape } from './json-shape.ts'
import { parseMultipart } from './multipart.ts'
import { dropUpload } from './upload.ts'

/** The names of the fields that were null in a JSON body. Their text is `null`, as in a form. */
export const nullFields = Symbol('fields that were null')

/** Raw parameters: text by name; the last value of a repeated parameter wins. */
export type RawParams = Record<string, string> & { [nullFields]?: string[] }

const maxParameters = 200

export function parseForm(text: string): RawParams {
  if (hasMoreFields(text)) throw new TooManyParameters()
  const parsed = parseQuery(text) as Record<string, string | string[]>
  const fields = Object.entries(parsed)
  const isRepeated = fields.some(([, value]) => typeof value !== 'string')
  return isRepeated
    ? Object.fromEntries(fields.map(([name, value]) => [name, [value].flat().at(-1)!]))
    : (parsed as RawParams)
}

class TooManyParameters extends ApiError {
  constructor() {
    super(`More than ${maxParameters} parameters.`)
  }
}

/** Counted before they are parsed, which takes long for many. */
function hasMoreFields(text: string): boolean {
  let count = 1
  for (let at = text.indexOf('&'); at >= 0 && count <= maxParameters; at = text.indexOf('&', at + 1)) count++
  return count > maxParameters
}

/** For clients that send JSON: turns every value into the text that a form field would have. */
function parseJson(text: string): RawParams {
  if (text === '') return {}
  checkJsonShape('The request body', text, { depth: 21 })
  const fields = Object.entries(jsonObject(text))
  if (fields.length > maxParameters) throw new TooManyParameters()
  const params: RawParams = Object.fromEntries(fields.map(([name, value]) => [name, asFormField(value)]))
  params[nullFields] = fields.filter(([, value]) => value === null).map(([name]) => name)
  return params
}

function asFormField(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function jsonObject(text: string): object {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new ApiError('Malformed JSON in the request body.')
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw new ApiError('The request body must be a JSON object.')
  return body
}

/** Reads a body in any encoding that clients use, with every method. */
export function readBodies(app: FastifyInstance, limit: number): void {
  app.removeAllContentTypeParsers()
  app.decorateRequest('upload', undefined)
  // A file that came with the request is deleted once the request has been handled.
  app.addHook('onError', (request) => dropUpload(request))
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    guarded(done, () => parseForm(body as string)),
  )
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
    guarded(done, () => parseJson(body as string)),
  )
  app.addContentTypeParser('multipart/form-data', (request: FastifyRequest, payload: NodeJS.ReadableStream) =>
    parseMultipart(request, payload, {
      bytes: limit,
      fields: maxParameters,
      fileBytes: request.routeOptions.config.fileLimit,
    }),
  )
  // Other content types carry no parameters; required ones are then reported as missing.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => done(null, {}))
}

function guarded(done: (error: Error | null, body?: RawParams) => void, parse: () => RawParams): void {
  let body: RawParams
  try {
    body = parse()
  } catch (error) {
    done(error as Error)
    return
  }
  done(null, body)
}
