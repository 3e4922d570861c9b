import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from './html.ts'

test('values are escaped, as text and in attributes', () => {
  const name = `<b title="x" id='y'>&`
  const escaped = '&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;'
  assert.equal(html`<p title="${name}">${name}</p>`.text, `<p title="${escaped}">${escaped}</p>`)
})

test('templates and lists of them are inserted unchanged', () => {
  const items = ['a', '<'].map((one) => html`<li>${one}</li>`)
  assert.equal(html`<ul>${items}</ul>`.text, '<ul><li>a</li><li>&lt;</li></ul>')
})

test('absent values are left out, zero is not', () => {
  assert.equal(html`${undefined}${null}${false}${0}`.text, '0')
})
