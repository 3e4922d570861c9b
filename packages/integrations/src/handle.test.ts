import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { type HookOptions, handleRequest, matchesPattern } from './handle.ts'
import { findIntegration } from './registry.ts'
import { isSigned } from './signatures.ts'

const github = findIntegration('github')!
const json = findIntegration('json')!

const star = { action: 'created', sender: { login: 'rosa' }, repository: { name: 'shop' } }

function handle(event: string | undefined, body: unknown, options: HookOptions = {}) {
  return handleRequest(github, { headers: { 'x-github-event': event }, body: JSON.stringify(body) }, options)
}

function filled(payload: unknown, options: HookOptions): string {
  const outcome = handleRequest(json, { headers: {}, body: JSON.stringify(payload) }, options)
  return outcome.kind === 'message' ? outcome.text : JSON.stringify(outcome)
}

test('an event that the integration does not know is unsupported', () => {
  assert.deepEqual(handle('gollum', star), { kind: 'unsupported', event: 'gollum' })
  assert.deepEqual(handle('constructor', star), { kind: 'unsupported', event: 'constructor' })
})

test('a request without the header of its event says which one is missing', () => {
  assert.deepEqual(handle(undefined, star), { kind: 'missing_header', header: 'x-github-event' })
})

test('a body that this sender does not send is malformed', () => {
  assert.deepEqual(handle('star', {}), { kind: 'malformed', reason: 'The body has no "sender.login".' })
  assert.equal(handleRequest(github, { headers: { 'x-github-event': 'star' }, body: '{' }).kind, 'malformed')
})

test('events are chosen by patterns, also of their actions', () => {
  assert.equal(handle('star', star, { only_events: ['push', 'st*'] }).kind, 'message')
  assert.equal(handle('star', star, { only_events: ['push'] }).kind, 'ignored')
  assert.equal(handle('star', star, { exclude_events: ['star.created'] }).kind, 'ignored')
})

test('a form with the field payload is read like its JSON', () => {
  const headers = { 'x-github-event': 'star', 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ payload: JSON.stringify(star) }).toString()
  assert.equal(handleRequest(github, { headers, body }).kind, 'message')
})

test('templates of the owner replace those of the integration, and a filter leaves out requests', () => {
  const options = { text_template: '{{ name }} is {{ level }}', topic_template: '{{ name }}', filter: 'level > 3' }
  const request = (level: number) => ({ headers: {}, body: JSON.stringify({ name: 'tank', level }) })
  const message = { kind: 'message', event: 'message', topic: 'tank', text: 'tank is 4' }
  assert.deepEqual(handleRequest(json, request(4), options), message)
  assert.equal(handleRequest(json, request(3), options).kind, 'ignored')
})

test('values do not format the message', () => {
  const text = filled({ x: '**b** `c` ~~d~~ $$e$$ 2 * 3 [a](https://b.c)' }, { text_template: '{{ x }}' })
  assert.equal(
    text,
    '&#42;&#42;b&#42;&#42; &#96;c&#96; &#126;&#126;d&#126;&#126; &#36;&#36;e&#36;&#36; 2 * 3 [a]&#40;https://b.c)',
  )
})

test('a mention works only if the template spells it out, or the hook allows mentions', () => {
  const payload = { x: '@**all**', name: 'all' }
  assert.equal(filled(payload, { text_template: '@**ops** {{ x | raw }}' }), '@**ops** @\u200b**all**')
  assert.equal(filled(payload, { text_template: '@**{{ name }}**' }), '@\u200b**all**')
  assert.equal(filled(payload, { text_template: '{{ x | raw }}', mentions_allowed: true }), '@**all**')
})

test('a template that is wrong or takes too long makes the request fail, not the process', () => {
  assert.match(filled({}, { text_template: '{% if %}' }), /malformed/)
  assert.match(filled({}, { text_template: '{% for i in (1..1000000000) %}x{% endfor %}' }), /malformed/)
  assert.match(filled({}, { text_template: '{% include "setup.md" %}' }), /malformed/)
})

test('a pattern with many stars takes no long time', () => {
  assert.ok(matchesPattern('pull_request.opened', 'pull_*.open?d'))
  assert.ok(!matchesPattern('a'.repeat(5000), `${'*a'.repeat(200)}b`))
})

test('a signature is that of the body with the secret', () => {
  const body = Buffer.from('{}')
  const signed = `sha256=${createHmac('sha256', 'secret').update(body).digest('hex')}`
  const check = (value: string) => isSigned(github.signature!, 'secret', { 'x-hub-signature-256': value }, body)
  assert.ok(check(signed))
  assert.ok(!check(signed.replace('sha256=', '')))
  assert.ok(!isSigned(github.signature!, 'secret', {}, body))
})

test('a signature with a time is taken for five minutes', () => {
  const body = Buffer.from('{}')
  const { signature } = findIntegration('stripe')!
  const signedAt = (time: number) => {
    const hash = createHmac('sha256', 'secret').update(`${time}.`).update(body).digest('hex')
    return isSigned(signature!, 'secret', { 'stripe-signature': `t=${time},v1=0,v1=${hash}` }, body)
  }
  const now = Math.floor(Date.now() / 1000)
  assert.deepEqual(
    [signedAt(now), signedAt(now - 290), signedAt(now - 400), signedAt(now + 400)],
    [true, true, false, false],
  )
  assert.ok(!isSigned(signature!, 'secret', { 'stripe-signature': 'v1=0' }, body))
})

test('while a secret is replaced, one of several signatures suffices', () => {
  const body = Buffer.from('{}')
  const hash = createHmac('sha256', 'new').update(body).digest('hex')
  const { signature } = findIntegration('pagerduty')!
  assert.ok(isSigned(signature!, 'new', { 'x-pagerduty-signature': `v1=0, v1=${hash}` }, body))
})

test('money is written in whole units of its currency', () => {
  const text_template = '{{ a | money: c }}'
  assert.equal(filled({ a: 4990, c: 'eur' }, { text_template }), 'EUR\u00a049.90')
  assert.equal(filled({ a: 500, c: 'jpy' }, { text_template }), 'JPY\u00a0500')
  assert.equal(filled({ a: 'x', c: '<b>' }, { text_template }), 'NaN <B>')
})
