import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp } from '../../http/app.ts'
import { newWorld } from '../../testing/world.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

test('write requests from pages of other sites are refused', async () => {
  const { app, ann, host } = await newWorld()
  const send = async (more: Record<string, string>, method: 'POST' | 'PATCH' | 'DELETE' | 'PUT' = 'PATCH') => {
    const headers = { ...ann.headers, ...form, ...more }
    const answer = await app.inject({ method, url: '/api/v1/settings', headers, payload: 'enter_sends=true' })
    return `${answer.statusCode} ${answer.json().code}`
  }
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: `https://evil.${host}` },
    { origin: `https://${host}.evil.example` },
    { origin: `https://${host}:8443` },
    { origin: 'null' },
    { origin: 'null', 'sec-fetch-site': 'same-site' },
    { origin: 'nonsense' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', origin: `https://${host}` },
    { 'sec-fetch-site': 'same-site', origin: `https://other-${host}` },
  ]
  for (const headers of foreign) assert.equal(await send(headers), '403 CSRF_FAILED', JSON.stringify(headers))
  for (const method of ['POST', 'PUT', 'DELETE'] as const)
    assert.equal(await send({ origin: 'https://evil.example' }, method), '403 CSRF_FAILED')
  const own: Record<string, string>[] = [
    {},
    { origin: `https://${host}`, 'sec-fetch-site': 'same-origin' },
    { origin: 'null', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ]
  for (const headers of own) assert.equal(await send(headers), '200 undefined')
})

test('pages at PUBLIC_URL count as our own, also behind a proxy that sends another host', async (t) => {
  const { ctx, ann } = await newWorld()
  const app = buildApp({ ...ctx, config: { ...ctx.config, publicUrl: 'https://chat.example.com' } })
  t.after(() => app.close())
  const headers = { ...ann.headers, ...form, origin: 'https://chat.example.com' }
  const answer = await app.inject({ method: 'PATCH', url: '/api/v1/settings', headers, payload: 'enter_sends=true' })
  assert.equal(answer.statusCode, 200)
})

test('only programs get a Basic challenge, browsers do not', async () => {
  const { app, host } = await newWorld()
  const challenge = async (headers: Record<string, string>) => {
    const answer = await app.inject({ url: '/api/v1/users/me', headers: { host, ...headers } })
    assert.equal(answer.statusCode, 401)
    return answer.headers['www-authenticate']
  }
  assert.equal(await challenge({}), 'Basic realm="parley"')
  assert.equal(await challenge({ 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' }), undefined)
  assert.equal(await challenge({ 'sec-fetch-mode': 'cors' }), undefined)
  assert.equal(await challenge({ origin: 'https://evil.example' }), undefined)
})
