import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { operationList } from '@parley/api/operations'
import { newWorld } from '../../testing/world.ts'
import { docsPage } from './docs-page.ts'
import { openApiDocument } from './openapi.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into by its paths.
const document = openApiDocument() as any
const root = fileURLToPath(new URL('../../../../../', import.meta.url))

async function lint(text: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-openapi-'))
  const path = join(folder, 'openapi.json')
  await writeFile(path, text)
  const redocly = join(root, 'node_modules/.bin/redocly')
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  try {
    await promisify(execFile)(process.execPath, [redocly, 'lint', '--config', join(root, 'redocly.yaml'), path], {
      env,
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('the document lints without errors, and the linter notices a broken document', async () => {
  await lint(JSON.stringify(document))
  const broken = { ...document, paths: { ...document.paths, '/broken': { get: { responses: {} } } } }
  await assert.rejects(lint(JSON.stringify(broken)))
})

test('every operation is documented under its name', () => {
  const documented = new Set(
    Object.values(document.paths).flatMap((path) => Object.values(path as object).map((one) => one.operationId)),
  )
  // To OpenAPI, a path by id and the same path by email are one operation, under the name of the first.
  const routes = Map.groupBy(operationList, ({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)
  const expected = [...routes.values()].map(([first]) => first!.name)
  assert.deepEqual([...documented].sort(), expected.sort())
})

test('no keyword of our own leaks into the document', () => {
  assert.doesNotMatch(JSON.stringify(document), /"(x-|~)/)
})

test('non-text parameters are declared as JSON', () => {
  const narrow = document.paths['/messages'].get.parameters.find(({ name }: { name: string }) => name === 'narrow')
  assert.ok(narrow.content['application/json'].schema)
  const { encoding } = document.paths['/messages/flags'].post.requestBody.content['application/x-www-form-urlencoded']
  assert.deepEqual(encoding, { messages: { contentType: 'application/json' } })
})

test('an operation without credentials is documented as such', () => {
  assert.deepEqual(document.paths['/server_settings'].get.security, [])
  assert.equal(document.paths['/server_settings'].get.responses[401], undefined)
  assert.ok(document.paths['/messages'].get.responses[401])
})

test('the document is served with an ETag, and a client that has it gets 304', async () => {
  const { app } = await newWorld()
  const first = await app.inject('/api/v1/openapi.json')
  assert.equal(first.statusCode, 200)
  assert.deepEqual(first.json(), JSON.parse(JSON.stringify(document)))
  const again = await app.inject({
    url: '/api/v1/openapi.json',
    headers: { 'if-none-match': String(first.headers.etag) },
  })
  assert.equal(again.statusCode, 304)
  assert.equal(again.body, '')
})

test('the documentation page loads everything from the server itself', async () => {
  const { app } = await newWorld()
  const page = await app.inject('/api/v1/docs')
  assert.match(String(page.headers['content-type']), /^text\/html/)
  const loaded = [...page.body.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, path]) => path!)
  assert.deepEqual(loaded, ['docs/docs.css', 'openapi.json'])
  for (const path of loaded) {
    assert.doesNotMatch(path, /^\w+:|^\/\//)
    for (const method of ['GET', 'HEAD'] as const)
      assert.equal((await app.inject({ method, url: `/api/v1/${path}` })).statusCode, 200, path)
  }
})

test('the documentation page needs no script and no inline style', async () => {
  const { app } = await newWorld()
  const page = await app.inject('/api/v1/docs')
  assert.doesNotMatch(page.body, /<style|<script|style=|\son\w+=/)
  assert.match(String(page.headers['content-security-policy']), /script-src 'self'; style-src 'self';/)
})

test('the documentation page shows every operation with its parameters, response fields and error codes', async () => {
  const { app } = await newWorld()
  const { body } = await app.inject('/api/v1/docs')
  const articles = new Map(body.split('<article id="').map((text) => [text.slice(0, text.indexOf('"')), text]))
  for (const methods of Object.values<Record<string, { operationId: string }>>(document.paths))
    for (const { operationId } of Object.values(methods)) assert.ok(articles.has(operationId), operationId)
  const send = articles.get('sendMessage')!
  for (const word of ['topic', '<b>required</b>', 'automatic_new_visibility_policy', 'RATE_LIMIT_HIT'])
    assert.ok(send.includes(word), word)
})

test('every link on the documentation page has a target on it', async () => {
  const { app } = await newWorld()
  const { body } = await app.inject('/api/v1/docs')
  const ids = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  const links = [...body.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
  assert.deepEqual(
    [...new Set(links)].filter((id) => !ids.has(id)),
    [],
  )
})

test('text of the contract is escaped on the page', () => {
  const hostile = structuredClone(JSON.parse(JSON.stringify(document)))
  hostile.paths['/messages'].post.summary = '<img src=x onerror=alert(1)>'
  assert.doesNotMatch(docsPage(hostile), /<img/)
})

test('/docs redirects to the documentation page', async () => {
  const { app } = await newWorld()
  const answer = await app.inject('/docs')
  assert.equal(answer.statusCode, 302)
  assert.equal(answer.headers.location, '/api/v1/docs')
})
