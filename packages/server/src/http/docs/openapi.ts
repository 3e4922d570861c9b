import { featureLevel } from '@parley/api/common'
import { commonErrors, type ErrorCode, errorCodes, idempotencyErrors } from '@parley/api/errors'
import { idempotencyKeys } from '@parley/api/limits'
import type { Access, Operation } from '@parley/api/operation'
import { operationList } from '@parley/api/operations'
import { takesIdempotencyKey } from '@parley/api/scopes'
import { Type } from 'typebox'
import { componentSchemas, type Json, schemaOf } from './openapi-schemas.ts'

const whoMayCall: Record<Access, string> = {
  anyone: 'Needs no credentials.',
  sender: 'Open to every account, incoming-webhook bots included.',
  user: 'Open to every account but incoming-webhook bots.',
  human: 'Not open to bots.',
  member: 'Not open to guests.',
  human_member: 'Open neither to bots nor to guests.',
  moderator: 'Only for moderators, administrators and owners.',
  admin: 'Only for organization administrators and owners.',
  owner: 'Only for organization owners.',
}

const introduction = `A team-chat server that speaks the Zulip API at feature level ${featureLevel}.

Parameters travel in the query string of a GET and in the form body of everything else, urlencoded or multipart; text
as it is, everything else as JSON. The server also reads them from the query string of every method, and from a JSON
body. Parameters it does not know are no error: the answer lists them in \`ignored_parameters_unsupported\`.

Writes take an \`Idempotency-Key\` header: a repeated request with the same key, within 24 hours, gets the response of the
first one and changes nothing.`

/** The OpenAPI 3.1 document of all operations in packages/api. */
export function openApiDocument(operations: Operation[] = operationList): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version: `1.0.${featureLevel}`,
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }],
    security: [{ basic: [] }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: pathsOf(operations),
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: "The account's email address and its API key." },
      },
      parameters: { IdempotencyKey: idempotencyKey },
      schemas: { Success: success, Error: error, ...componentSchemas(), ...bodySchemas(documented(operations)) },
    },
  }
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A unique value of your choice. A repeated request with the same key, within 24 hours, returns the stored response and changes nothing. Not for requests with a file.',
  schema: { type: 'string', minLength: 1, maxLength: idempotencyKeys.maxLength },
}

const success: Json = {
  type: 'object',
  description: 'What every successful answer has in common.',
  required: ['result', 'msg'],
  properties: {
    result: { const: 'success' },
    msg: { const: '' },
    ignored_parameters_unsupported: {
      type: 'array',
      items: { type: 'string' },
      description: 'Parameters of the request that the operation does not know, sorted; absent if there are none.',
    },
  },
}

const error: Json = {
  type: 'object',
  description: 'Every answer that is not a success. Some codes add fields of their own.',
  required: ['result', 'msg', 'code'],
  properties: {
    result: { const: 'error' },
    msg: { type: 'string', description: 'For people; programs go by `code`.' },
    code: { enum: Object.keys(errorCodes) },
  },
}

function pathsOf(operations: Operation[]): Json {
  const paths = Map.groupBy(operations, ({ path }) => shapeOf(path))
    .values()
    .map((atPath) => {
      const path = pathOf(atPath)
      // Paths that differ only in the kind of a part (an id or an email) are one operation to OpenAPI.
      const byMethod = [...Map.groupBy(atPath, ({ method }) => method)]
      const methods = byMethod.map(([method, alike]) => [method.toLowerCase(), operationObject(alike, path)])
      return [path, Object.fromEntries(methods)] as const
    })
  return Object.fromEntries(paths)
}

/** The operations that the document names. */
function documented(operations: Operation[]): Operation[] {
  const routes = Map.groupBy(operations, ({ method, path }) => `${method} ${shapeOf(path)}`)
  return [...routes.values()].map(([first]) => first!)
}

function shapeOf(path: string): string {
  return path.replace(/\{\w+\}/g, '{}')
}

/** One path for all operations of the same shape, whatever they call its parts. */
function pathOf(atPath: Operation[]): string {
  const paths = atPath.map(({ path }) => path.split('/'))
  return paths[0]!.map((part, at) => (part.startsWith('{') ? partOf(paths.map((list) => list[at]!)) : part)).join('/')
}

function partOf(parts: string[]): string {
  return `{${[...new Set(parts.map((part) => part.slice(1, -1)))].join('_or_')}}`
}

function operationObject(alike: Operation[], path: string): Json {
  const [operation] = alike as [Operation]
  const { name, tag, access, aliases } = operation
  const also = aliases?.length ? ` Also at ${aliases.map((path) => `\`${path}\``).join(', ')}.` : ''
  return {
    operationId: name,
    tags: [tag],
    summary: alike.map(({ summary }) => summary.replaceAll('`', '')).join(' '), // plain text, not markup
    description: whoMayCall[access] + also,
    ...(access === 'anyone' && { security: [] }),
    parameters: [
      ...pathParameters(alike, path),
      ...(operation.method === 'GET' ? queryParameters(operation) : []),
      ...(takesIdempotencyKey(operation) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(hasBody(operation) && { requestBody: requestBody(operation) }),
    responses: { 200: answer(operation), ...errorResponses(operation) },
  }
}

function pathParameters(alike: Operation[], path: string): Json[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  return names.map((name, part) => {
    const kinds = alike.map(({ pathParams }) => schemaOf(Object.values(pathParams)[part] as Json))
    return { name, in: 'path', required: true, schema: kinds.length === 1 ? kinds[0] : { anyOf: kinds } }
  })
}

function queryParameters({ params }: Operation): Json[] {
  return Object.entries(params).map(([name, declared]) => {
    const { description, ...schema } = schemaOf(declared as Json)
    return {
      name,
      in: 'query',
      required: isRequired(declared as Json),
      ...(description !== undefined && { description }),
      ...(travelsAsJson(declared as Json) ? { content: { 'application/json': { schema } } } : { schema }),
    }
  })
}

function isRequired(schema: Json): boolean {
  return !('default' in schema) && schema['~optional'] !== true
}

/** Parameters that a client cannot send as bare text. */
function travelsAsJson(schema: Json): boolean {
  return schema.type !== 'string' && !schema['x-json-or-text'] && !isTextChoice(schema)
}

function isTextChoice({ enum: choices }: Json): boolean {
  return Array.isArray(choices) && choices.every((choice) => typeof choice === 'string')
}

function hasBody({ method, params, fileLimit }: Operation): boolean {
  return method !== 'GET' && (fileLimit !== undefined || Object.keys(params).length > 0)
}

function bodyComponent({ name }: Operation): string {
  return `${name[0]!.toUpperCase()}${name.slice(1)}Parameters`
}

function bodySchemas(operations: Operation[]): Record<string, Json> {
  return Object.fromEntries(
    operations.filter(hasBody).map((operation) => [bodyComponent(operation), bodySchema(operation)]),
  )
}

function bodySchema({ params, fileLimit, fileIsOptional }: Operation): Json {
  const given = fileIsOptional ? Type.Optional(file) : file
  const entries = Object.entries<unknown>({ ...params, ...(fileLimit !== undefined && { file: given }) }) as [
    string,
    Json,
  ][]
  const required = entries.filter(([, schema]) => isRequired(schema)).map(([name]) => name)
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(entries.map(([name, schema]) => [name, schemaOf(schema)])),
  }
}

/** The one file of an upload operation; the server accepts any field name. */
const file = Type.String({ contentMediaType: 'application/octet-stream' })

function requestBody(operation: Operation): Json {
  if (operation.fileLimit !== undefined && !operation.fileIsOptional) return fileBody(operation)
  const asJson = Object.entries(operation.params).filter(
    ([, schema]) => travelsAsJson(schema as Json) || (schema as Json)['x-json-or-text'],
  )
  const media = {
    schema: { $ref: `#/components/schemas/${bodyComponent(operation)}` },
    encoding: Object.fromEntries(asJson.map(([name]) => [name, { contentType: 'application/json' }])),
  }
  return {
    required: Object.values(operation.params).some((schema) => isRequired(schema as Json)),
    content: { 'application/x-www-form-urlencoded': media, 'multipart/form-data': media },
  }
}

function fileBody(operation: Operation): Json {
  const schema = { $ref: `#/components/schemas/${bodyComponent(operation)}` }
  return { required: true, content: { 'multipart/form-data': { schema } } }
}

function answer({ response }: Operation): Json {
  const entries = Object.entries(response) as [string, Json][]
  const required = entries.filter(([, schema]) => schema['~optional'] !== true).map(([name]) => name)
  const own = {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(entries.map(([name, schema]) => [name, schemaOf(schema)])),
  }
  const envelope = { $ref: '#/components/schemas/Success' }
  const schema = entries.length > 0 ? { allOf: [envelope, own] } : envelope
  return { description: 'Done.', content: { 'application/json': { schema } } }
}

const reasons: Record<number, string> = {
  400: 'The request breaks a rule.',
  401: 'The credentials are missing or wrong.',
  404: 'There is nothing here.',
  409: 'A request with the same Idempotency-Key is in progress, or its outcome is not known.',
  413: 'The request is too large.',
  422: 'The Idempotency-Key was used for a different request.',
  429: 'Too many requests; `retry-after` says how many seconds to wait.',
  500: 'A fault of the server.',
  503: 'The database cannot be reached just now.',
}

function errorResponses(operation: Operation): Json {
  const byStatus = Map.groupBy(codesOf(operation), (code) => errorCodes[code])
  const entries = [...byStatus].map(([status, codes]) => [status, errorResponse(status, codes)])
  return Object.fromEntries(entries)
}

function codesOf(operation: Operation): ErrorCode[] {
  const { access, errors = [] } = operation
  const needless = access === 'anyone' ? ['UNAUTHORIZED', 'UNAUTHORIZED_PRINCIPAL'] : []
  const ofKeys = takesIdempotencyKey(operation) ? idempotencyErrors : []
  return [...commonErrors, ...ofKeys, ...(errors as ErrorCode[])].filter((code) => !needless.includes(code))
}

function errorResponse(status: number, codes: ErrorCode[]): Json {
  const schema = { allOf: [{ $ref: '#/components/schemas/Error' }], properties: { code: { enum: codes } } }
  return { description: reasons[status] ?? 'An error.', content: { 'application/json': { schema } } }
}
