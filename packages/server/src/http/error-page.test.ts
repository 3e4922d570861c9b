import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newWorld } from '../testing/world.ts'

const { app, host } = await newWorld()
const browser = { host, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test('an unknown path is a page for browsers and JSON for programs', async () => {
  const page = await app.inject({ url: '/nowhere', headers: browser })
  assert.equal(page.statusCode, 404)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.match(page.body, /Page not found/)
  const answer = await app.inject({ url: '/nowhere', headers: { host, accept: '*/*' } })
  assert.equal(answer.json().code, 'NOT_FOUND')
})

test('the API answers in JSON, whatever the client accepts', async () => {
  const answer = await app.inject({ url: '/api/v1/nowhere', headers: browser })
  assert.equal(answer.json().code, 'NOT_FOUND')
})

test('pages allow no inline scripts, styles or frames, are not stored, and send no referrer', async () => {
  const { headers } = await app.inject({ url: '/nowhere', headers: { ...browser, host: '127.0.0.1' } })
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe/)
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.equal(headers['cache-control'], 'no-store')
})

test('on plain HTTP beyond this machine, pages let their forms say that they are ours', async () => {
  const { headers } = await app.inject({ url: '/nowhere', headers: browser })
  assert.equal(headers['referrer-policy'], 'same-origin')
})

test('the files that a page loads exist and are cached by ETag', async () => {
  const { body } = await app.inject({ url: '/nowhere', headers: browser })
  const urls = [...body.matchAll(/(?:src|href)="(\/static\/[^"]+)"/g)].map(([, url]) => url!)
  assert.equal(urls.length, 3)
  for (const url of [...urls, '/static/inter-5.3.0.woff2']) {
    const file = await app.inject({ url, headers: { host } })
    assert.equal(file.statusCode, 200, url)
    const again = await app.inject({ url, headers: { host, 'if-none-match': String(file.headers.etag) } })
    assert.equal(again.statusCode, 304, url)
  }
})

test('the page of a link that has expired does not say that the page is missing', async () => {
  const page = await app.inject({ url: '/reset/expired', headers: browser })
  assert.equal(page.statusCode, 404)
  assert.match(page.body, /<h1>That did not work<\/h1>\s*<p>This link has expired/)
})
