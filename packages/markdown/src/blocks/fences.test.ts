import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../testing.ts'

const code = (text: string) => `<div class="codehilite"><pre><span></span><code>${text}\n</code></pre></div>`

test('a fence ends at a line equal to its start, and without one at the end of the message', () => {
  assert.equal(html('~~~~\na\n~~~\n~~~~\nb'), `${code('a\n~~~')}\n<p>b</p>`)
  assert.equal(html('```\na'), code('a'))
})

test('white space at the end of code lines is dropped', () => {
  assert.equal(html('```\na  \nb\t\n```'), code('a\nb'))
})

test('a known language is named as clients know it, another one as typed', () => {
  assert.match(html('```js\nx\n```'), /data-code-language="JavaScript"/)
  assert.match(html('```{.cpp}\nx\n```'), /data-code-language="C\+\+"/)
  assert.match(html('``` py2\nx\n```'), /data-code-language="Python 2\.x"/)
  assert.match(html('```css+php\nx\n```'), /data-code-language="CSS\+PHP"/)
  assert.match(html('``` Mylang\nx\n```'), /data-code-language="mylang"/)
})

test('code is highlighted with short classes and its text is kept', () => {
  const rendered = html('```python\nif a < "b": pass\n```')
  assert.match(rendered, /<span class="k">if<\/span>/)
  assert.match(rendered.replace(/<\/?span[^>]*>/g, ''), /<code>if a &lt; "b": pass\n<\/code>/)
})

test('code with a line that nobody can read is shown without colours, as any code is where they are off', () => {
  assert.match(html('```js\nlet x\n```'), /<span class="k">let/)
  assert.match(html('```js\nlet x\n```', { mayDecorate: () => false }), /JavaScript"><pre><span><\/span><code>let x\n/)
  assert.match(html(`\`\`\`js\nlet ${'x'.repeat(500)}\n\`\`\``), /<code>let x/)
})

test('a first line with an interpreter is highlighted without naming the language', () => {
  const rendered = html('```\n#!/usr/bin/python\nif a: pass\n```')
  assert.match(rendered, /^<div class="codehilite"><pre>/)
  assert.match(rendered, /<span class="k">if<\/span>/)
})

test('the realm may set what a fence without a word means', () => {
  assert.match(html('```\nx\n```', { defaultCodeLanguage: 'python' }), /data-code-language="Python"/)
  assert.equal(html('```\nx\n```', { defaultCodeLanguage: 'quote' }), '<blockquote>\n<p>x</p>\n</blockquote>')
})

test('a quote fence holds markup and further fences', () => {
  assert.equal(html('~~~ quote\n*a*\n```\nb\n```\n~~~'), `<blockquote>\n<p><em>a</em></p>\n${code('b')}\n</blockquote>`)
})

test('a spoiler hides its content behind a header with inline markup', () => {
  const head = '<div class="spoiler-block"><div class="spoiler-header">\n<p><em>End</em></p>\n</div>'
  const body = '<div class="spoiler-content" aria-hidden="true">\n<p>x</p>\n</div></div>'
  assert.equal(html('```spoiler *End*\nx\n```'), head + body)
})

test('a nested list of another kind does not loosen the list in a spoiler', () => {
  const tight = '<ul>\n<li>a<ol>\n<li>b</li>\n</ol>\n</li>\n<li>c</li>\n</ul>'
  assert.ok(html('```spoiler\n* a\n  1. b\n* c\n```').includes(tight))
  assert.ok(html('```spoiler\nsee\n* a\n  1. b\n* c\n```').includes(`<p>see</p>\n${tight}`))
  assert.ok(html('```spoiler\n* a\n1. b\n```').includes('<ul>\n<li>a</li>\n</ul>\n<ol>\n<li>b</li>\n</ol>'))
})

test('a spoiler without header has an empty one', () => {
  assert.match(html('```spoiler\nx\n```'), /<div class="spoiler-header">\n<\/div>/)
})

test('backticks with text after the fence are inline code', () => {
  assert.equal(html('``` a ```'), '<p><code> a </code></p>')
})
