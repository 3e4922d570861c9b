import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationList } from '@parley/api/operations'
import { FormBrowser } from '../../testing/forms.ts'
import { populate, requestFor, sampleOf } from '../../testing/samples.ts'
import { newWorld } from '../../testing/world.ts'

test('deeply nested JSON is refused by every operation that reads a body', async () => {
  const world = await populate(await newWorld())
  const nested = `${'['.repeat(5000)}${']'.repeat(5000)}`
  for (const operation of operationList.filter(({ method }) => method !== 'GET')) {
    const sample = await sampleOf(operation, world)
    const { headers, ...request } = requestFor(sample, 'json')
    for (const name of ['surprise', ...Object.keys(operation.params).slice(0, 1)]) {
      const response = await world.app.inject({
        ...request,
        payload: `{${JSON.stringify(name)}:${nested}}`,
        headers: { ...headers, ...sample.by.headers, 'content-type': 'application/json' },
      })
      assert.equal(response.statusCode, 400, operation.name)
    }
  }
})

test('a list of 140,000 numbers is refused with the number that is allowed', async () => {
  const { gus, app } = await newWorld()
  const to = JSON.stringify(Array.from({ length: 140_000 }, (_, n) => n))
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/messages',
    headers: { ...gus.headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: `type=direct&content=x&to=${to}`,
  })
  assert.equal(response.json().msg, 'to must not have more than 1000 items')
})

test('no response quotes a long value', async () => {
  const world = await populate(await newWorld())
  const long = 'x'.repeat(500_000)
  for (const [method, url, params] of [
    ['DELETE', '/events', { queue_id: long }],
    ['POST', '/users/me/status', { [long]: '1', status_text: 'here' }],
    ['POST', '/messages/flags', { messages: [1], op: 'add', flag: long }],
    ['POST', '/messages/flags/narrow', { ...somewhere, narrow: [{ operator: long, operand: 'x' }] }],
    ['POST', '/invites', { invitee_emails: long }],
    ['DELETE', '/users/me/subscriptions', { subscriptions: [long] }],
  ] as const) {
    const response = await world.app.inject({
      method,
      url: `/api/v1${url}`,
      headers: { ...world.ann.headers, 'content-type': 'application/json' },
      payload: JSON.stringify(params),
    })
    assert.ok(response.body.length < 5000, `${method} ${url} answered ${response.body.length} characters`)
  }
})

test('no page shows a long value again', async () => {
  const { app, host } = await newWorld()
  const long = '"'.repeat(300_000)
  for (const [url, form] of [
    ['/login', { email: long, password: 'x' }],
    ['/login', { username: long, pick: long, mobile_flow_otp: long }],
    ['/login/code', { pending: long, code: long }],
    ['/login/enrol', { pending: long, enrolment: long, code: long }],
    ['/reset', { email: long }],
    ['/join', { email: long }],
  ] as const) {
    const page = await new FormBrowser({ app, host }).post(url, form)
    assert.ok(page.body.length < 20_000, `${url} answered ${page.body.length} characters`)
  }
})

const somewhere = { anchor: 'newest', num_before: 1, num_after: 0, op: 'add', flag: 'read' }
