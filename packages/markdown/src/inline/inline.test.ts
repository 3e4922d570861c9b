import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../testing.ts'

const p = (inner: string) => `<p>${inner}</p>`

test('stars make emphasis, strength and both', () => {
  assert.equal(html('*a* **b** ***c***'), p('<em>a</em> <strong>b</strong> <strong><em>c</em></strong>'))
})

test('emphasis has no space just inside and stays on its line', () => {
  assert.equal(html('* a* *b *'), '<ul>\n<li>a* *b *</li>\n</ul>')
  assert.equal(html('x *a\nb*'), p('x *a<br>\nb*'))
})

test('emphasis ends at the next star, as in Zulip, also inside a word', () => {
  assert.equal(html('use **kwargs and 2*3*4'), '<p>use *<em>kwargs and 2</em>3*4</p>')
})

test('two tildes strike out', () => {
  assert.equal(html('~~a~~ ~b~ ~~~c~~~'), p('<del>a</del> ~b~ ~~~c~~~'))
})

test('emphasis may enclose other markup', () => {
  assert.equal(html('**a *b* `c`**'), p('<strong>a <em>b</em> <code>c</code></strong>'))
})

test('code keeps its spaces and shows everything as typed', () => {
  assert.equal(html('` *a* &nbsp; `'), p('<code> *a* &amp;nbsp; </code>'))
})

test('code may hold shorter runs of backticks', () => {
  assert.equal(html('`` a`b ``'), p('<code> a`b </code>'))
})

test('a backslash keeps a backtick from opening code', () => {
  assert.equal(html('\\`a` b'), p('\\`a` b'))
})

test('entities pass outside code and other ampersands are escaped', () => {
  assert.equal(html('a&nbsp;b & c &x'), p('a&nbsp;b &amp; c &amp;x'))
})

test('a command for oneself is ordinary text', () => {
  assert.equal(html('/me waves'), p('/me waves'))
})
