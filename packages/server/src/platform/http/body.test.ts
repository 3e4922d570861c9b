import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { parseForm, readBodies } from './body.ts'
import { asApiError } from './server.ts'

const limit = 4096

async function read(
  contentType: string,
  payload: string | Buffer,
  method: 'POST' | 'DELETE' | 'PATCH' = 'POST',
  bodyLimit = limit,
) {
  const app = Fastify({ bodyLimit })
  readBodies(app, limit)
  app.setErrorHandler((error: Error, _request, reply) => {
    const known = asApiError(error)!
    return reply.code(known.status).send(known.body())
  })
  app.route({ method, url: '/', handler: (request) => ({ fields: request.body ?? null }) })
  const response = await app.inject({ method, url: '/', headers: { 'content-type': contentType }, payload })
  return response.json() as { fields: Record<string, string> | null; code?: string; msg?: string }
}

const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

test('the last value of a repeated parameter wins', () => {
  assert.equal(parseForm('a=1&a=2&a=3').a, '3')
})

test('more than two hundred parameters are refused', () => {
  const many = Array.from({ length: 201 }, (_, n) => `p${n}=1`).join('&')
  assert.throws(() => parseForm(many), { code: 'BAD_REQUEST' })
})

test('a JSON body has at most two hundred parameters, and a limited number of fields in all', async () => {
  const object = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, 1]))
  assert.equal(Object.keys((await read('application/json', JSON.stringify(object(200)))).fields!).length, 200)
  assert.match((await read('application/json', JSON.stringify(object(201)))).msg!, /More than 200 parameters/)
  const inside = JSON.stringify({ p: object(10_001) })
  assert.match((await read('application/json', inside, 'POST', inside.length)).msg!, /more than 10000 fields/)
})

test('JSON that is nested deeply is refused before it is parsed; brackets in texts do not count', async () => {
  const nested = (depth: number) => `{"p":${'['.repeat(depth)}${']'.repeat(depth)}}`
  assert.match((await read('application/json', nested(5000), 'POST', 20_000)).msg!, /nested too deeply/)
  assert.equal((await read('application/json', nested(20))).fields!.p, '[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]')
  const text = '[{\\"'.repeat(50)
  assert.equal((await read('application/json', JSON.stringify({ p: text }))).fields!.p, text)
})

for (const method of ['POST', 'DELETE', 'PATCH'] as const) {
  test(`form, multipart and JSON bodies are read with ${method}`, async () => {
    assert.deepEqual((await read('application/x-www-form-urlencoded', 'a=b+c&d=%C3%A9', method)).fields, {
      a: 'b c',
      d: 'é',
    })
    const multipart = `${part('a', 'b c')}${part('d', 'é')}--b--\r\n`
    assert.deepEqual((await read('multipart/form-data; boundary=b', multipart, method)).fields, { a: 'b c', d: 'é' })
    assert.deepEqual((await read('application/json', '{"a":"b c","n":[1,null]}', method)).fields, {
      a: 'b c',
      n: '[1,null]',
    })
  })
}

test('an empty multipart form has no parameters', async () => {
  for (const body of ['', '--b--\r\n']) {
    const { fields } = await read('multipart/form-data; boundary=b', body)
    assert.deepEqual(fields ?? {}, {})
  }
})

test('a file among the parts is ignored', async () => {
  const file = '--b\r\nContent-Disposition: form-data; name="f"; filename="x.txt"\r\n\r\ncontent\r\n'
  assert.deepEqual((await read('multipart/form-data; boundary=b', `${file}${part('a', '1')}--b--`)).fields, { a: '1' })
})

test('a broken body is a bad request', async () => {
  assert.equal((await read('multipart/form-data; boundary=b', `${part('a', '1')}--b`)).code, 'BAD_REQUEST')
  assert.equal((await read('multipart/form-data', 'x')).code, 'BAD_REQUEST')
  assert.equal((await read('application/json', '{"a":')).code, 'BAD_REQUEST')
  assert.equal((await read('application/json', '[1]')).code, 'BAD_REQUEST')
})

test('a body over the limit is refused as too large in every encoding', async () => {
  const long = 'x'.repeat(limit)
  for (const [type, body] of [
    ['application/x-www-form-urlencoded', `a=${long}`],
    ['application/json', JSON.stringify({ a: long })],
    ['multipart/form-data; boundary=b', `${part('a', long)}--b--`],
  ] as const)
    assert.equal((await read(type, body)).code, 'PAYLOAD_TOO_LARGE', type)
})

test('a body of another content type has no parameters', async () => {
  assert.deepEqual((await read('text/plain', 'a=1')).fields, {})
})

test('a route that takes a file receives the one file, whatever its field name; other parts are parameters', async () => {
  const file = '--b\r\nContent-Disposition: form-data; name="/tmp/x y"; filename="x.txt"\r\n\r\ncontent\r\n'
  assert.deepEqual(await send(`${file}${part('a', '1')}--b--\r\n`), {
    fields: { a: '1' },
    name: 'x.txt',
    text: 'content',
  })
  assert.equal((await send(`${file}${file}--b--\r\n`)).code, 'BAD_REQUEST')
  assert.equal((await send(file)).code, 'BAD_REQUEST')
  assert.equal((await send(file.replace('content', 'x'.repeat(101)))).code, 'BAD_REQUEST')
  assert.equal((await send(`${part('a', '1')}--b--\r\n`)).name, undefined)
})

async function send(payload: string) {
  const app = Fastify()
  readBodies(app, limit)
  app.setErrorHandler((error: Error, _request, reply) => {
    const known = asApiError(error)!
    return reply.code(known.status).send(known.body())
  })
  app.post('/', { config: { fileLimit: 100 } }, async ({ body, upload }) => ({
    fields: body,
    name: upload?.filename,
    text: upload && String(await upload.bytes()),
  }))
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const response = await app.inject({ method: 'POST', url: '/', headers, payload })
  return response.json() as { fields?: object; name?: string; text?: string; code?: string }
}
