import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../testing.ts'

test('spaces at the end of a paragraph stay', () => {
  assert.equal(html('a  \n\nb  \n'), '<p>a  </p>\n<p>b  </p>')
})

test('every newline in a paragraph is a break, and a blank line starts a new paragraph', () => {
  assert.equal(html('one\ntwo\n\nthree'), '<p>one<br>\ntwo</p>\n<p>three</p>')
})

test('up to six marks and a space make a heading, whose closing marks are dropped', () => {
  assert.equal(html('## Plan ##\ntext'), '<h2>Plan</h2>\n<p>text</p>')
  assert.equal(html('#Plan'), '<p>#Plan</p>')
  assert.equal(html('####### Plan'), '<p>####### Plan</p>')
})

test('a line of dashes or stars is a rule, not an underline', () => {
  assert.equal(html('above\n---\nbelow'), '<p>above</p>\n<hr>\n<p>below</p>')
  assert.equal(html('***'), '<hr>')
})

test('a list may mix its marks and may follow text directly', () => {
  assert.equal(html('Buy:\n* tea\n- milk'), '<p>Buy:</p>\n<ul>\n<li>tea</li>\n<li>milk</li>\n</ul>')
})

test('an ordered list starts at its first number and ignores the others', () => {
  assert.equal(html('3. a\n9. b'), '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>')
  assert.equal(html('1. a'), '<ol>\n<li>a</li>\n</ol>')
})

test('a change between bullets and numbers starts a new list', () => {
  assert.equal(html('* a\n1. b'), '<ul>\n<li>a</li>\n</ul>\n<ol>\n<li>b</li>\n</ol>')
})

test('two spaces nest a list', () => {
  const inner = '<ul>\n<li>b</li>\n</ul>'
  assert.equal(html('* a\n  * b\n* c'), `<ul>\n<li>a${inner}\n</li>\n<li>c</li>\n</ul>`)
})

test('blank lines between items make paragraphs of them', () => {
  assert.equal(html('* a\n\n* b'), '<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>')
})

test('an indented paragraph after a blank line belongs to the item', () => {
  assert.equal(html('* a\n\n  more'), '<ul>\n<li>\n<p>a</p>\n<p>more</p>\n</li>\n</ul>')
})

test('a continuation line keeps its indentation', () => {
  assert.equal(html('* a\n  more'), '<ul>\n<li>a<br>\n  more</li>\n</ul>')
})

test('lines after a quoted one belong to the quote until a blank line', () => {
  assert.equal(html('> a\nb\n\nc'), '<blockquote>\n<p>a<br>\nb</p>\n</blockquote>\n<p>c</p>')
})

test('quotes with a blank line between them stay two', () => {
  const quoted = (text: string) => `<blockquote>\n<p>${text}</p>\n</blockquote>`
  assert.equal(html('> a\n\n> b'), `${quoted('a')}\n${quoted('b')}`)
})

test('a lone quote mark is text', () => {
  assert.equal(html('>'), '<p>&gt;</p>')
})

test('four leading spaces are code, across blank lines', () => {
  const code = (text: string) => `<div class="codehilite"><pre><span></span><code>${text}\n</code></pre></div>`
  assert.equal(html('    a < b\n\n    c\nd'), `${code('a &lt; b\n\nc')}\n<p>d</p>`)
})

test('a table aligns its columns and keeps pipes inside code', () => {
  const rendered = html('a | b\n:-- | --:\n`x|y` | z')
  assert.match(
    rendered,
    /^<table>\n<thead>\n<tr>\n<th style="text-align: left;">a<\/th>\n<th style="text-align: right;">b/,
  )
  assert.match(
    rendered,
    /<tbody>\n<tr>\n<td style="text-align: left;"><code>x\|y<\/code><\/td>\n<td style="text-align: right;">z/,
  )
})

test('a table whose rows would grow out of proportion is text', () => {
  assert.match(html(`${'a|'.repeat(500)}\n${'-|'.repeat(500)}\n${'a|\n'.repeat(500)}`), /^<p>/)
})

test('what other dialects know as markup is shown as typed', () => {
  assert.equal(html('_a_ __b__ \\*'), '<p>_a_ __b__ \\*</p>')
  assert.equal(html('a\n==='), '<p>a<br>\n===</p>')
  assert.equal(html('<b>x</b>'), '<p>&lt;b&gt;x&lt;/b&gt;</p>')
})
