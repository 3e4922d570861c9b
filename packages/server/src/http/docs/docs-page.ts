import { lookup } from '@parley/api/lookup'
import { escapeHtml, fieldRow, fieldTable, prose, table, typeOf } from './docs-schema.ts'
import type { Json } from './openapi-schemas.ts'

interface Parameter {
  name: string
  required: boolean
  description?: string
  schema?: Json
  content?: { 'application/json': { schema: Json } }
}

interface Media {
  content: Record<string, { schema: Json }>
}

interface Endpoint {
  method: string
  path: string
  operationId: string
  tags: [string]
  summary: string
  description: string
  /** A reference is a header that all writes have; the introduction explains it. */
  parameters: (Parameter | { $ref: string })[]
  requestBody?: Media
  responses: Record<string, Media & { description: string }>
}

interface Document {
  info: { title: string; version: string; description: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, Endpoint>>
  components: { schemas: Record<string, Json> }
}

/** Renders the OpenAPI document as one HTML page. It needs no script, so its content security policy forbids them. */
export function docsPage(openApi: Json): string {
  const document = openApi as unknown as Document
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, endpoint]) => ({ ...endpoint, method: method.toUpperCase(), path })),
  )
  const features = document.tags.map(({ name }) => ({
    name,
    endpoints: endpoints.filter(({ tags }) => tags[0] === name),
  }))
  const { schemas } = document.components
  const named = Object.entries(schemas).filter(([name]) => !name.endsWith('Parameters'))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(document.info.title)} API</title>
<link rel="stylesheet" href="docs/docs.css">
</head>
<body>
<nav>
${features.map(menu).join('\n')}
<a href="#schemas"><b>Schemas</b></a>
</nav>
<main>
<h1>${escapeHtml(document.info.title)} API</h1>
${paragraphs(document.info.description)}
<p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
${features.map((feature) => section(feature, schemas)).join('\n')}
<h2 id="schemas">Schemas</h2>
${named.map(schemaSection).join('\n')}
</main>
</body>
</html>
`
}

interface Feature {
  name: string
  endpoints: Endpoint[]
}

function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((one) => `<p>${prose(one)}</p>`)
    .join('')
}

function menu({ name, endpoints }: Feature): string {
  const links = endpoints.map(
    ({ operationId, method, path }) =>
      `<li><a href="#${operationId}"><span class="${method}">${method}</span> ${escapeHtml(path)}</a></li>`,
  )
  return `<details><summary>${escapeHtml(name)}</summary><ul>${links.join('')}</ul></details>`
}

function section({ name, endpoints }: Feature, schemas: Record<string, Json>): string {
  return `<h2>${escapeHtml(name)}</h2>${endpoints.map((endpoint) => article(endpoint, schemas)).join('\n')}`
}

function article(endpoint: Endpoint, schemas: Record<string, Json>): string {
  const { operationId, method, path, summary, description, parameters, requestBody, responses } = endpoint
  const { 200: success, ...errors } = responses
  const inputs = [
    table(parameters.filter((parameter) => 'name' in parameter).map(parameterRow)),
    bodyTable(requestBody, schemas),
  ].join('')
  return `<article id="${operationId}">
<h3><a href="#${operationId}"><span class="${method}">${method}</span> ${escapeHtml(path)}</a></h3>
<p>${prose(summary)} ${prose(description)}</p>
${inputs && `<h4>Parameters</h4>${inputs}`}
<h4>Response</h4>${successTable(success!) || '<p>Only the result.</p>'}
<details><summary>Errors</summary>${table(Object.entries(errors).map(errorRow))}</details>
</article>`
}

function parameterRow({ name, required, description, schema, content }: Parameter): string {
  const declared = schema ?? content!['application/json'].schema
  return fieldRow(name, declared, required, description ?? declared.description)
}

function bodyTable(body: Media | undefined, schemas: Record<string, Json>): string {
  const reference = body && (Object.values(body.content)[0]!.schema.$ref as string)
  return reference ? fieldTable(lookup(schemas, reference.split('/').at(-1)!)!) : ''
}

/** The fields that an operation adds to the success envelope. */
function successTable({ content }: Media): string {
  const parts = content['application/json']!.schema.allOf as Json[] | undefined
  return parts ? fieldTable(parts[1]!) : ''
}

function errorRow([status, { description, content }]: [string, Media & { description: string }]): string {
  const { properties } = content['application/json']!.schema as { properties: { code: Json } }
  return `<tr><th>${status}</th><td>${typeOf(properties.code)}</td><td>${prose(description)}</td></tr>`
}

function schemaSection([name, schema]: [string, Json]): string {
  const shape = schema.properties ? fieldTable(schema) : `<p>${typeOf(schema)}</p>`
  return `<article id="schema-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3><p>${prose(schema.description)}</p>${shape}</article>`
}
