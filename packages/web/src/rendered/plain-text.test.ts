import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainText } from './plain-text.ts'

test('tags inside a line separate no words', () => {
  assert.equal(plainText('<p>Run <code>npm start</code>, <strong>now</strong>!</p>'), 'Run npm start, now!')
})

test('paragraphs and items of lists are separated', () => {
  assert.equal(plainText('<p>one</p>\n<ul><li>two</li><li>three</li></ul>'), 'one two three')
})

test('characters are shown as they were written', () => {
  assert.equal(plainText('<p>a &lt;b&gt; &amp;lt; c</p>'), 'a <b> &lt; c')
})
