import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainSource } from './plain-text.ts'

test('plain paragraphs are what was typed; anything else is not guessed', () => {
  assert.equal(
    plainSource('<p>one<br>\ntwo &lt;b&gt;</p>\n<p>three &amp;amp; four</p>'),
    'one\ntwo <b>\n\nthree &amp; four',
  )
  for (const html of ['<p><strong>bold</strong></p>', '<ul>\n<li>one</li>\n</ul>', '<p>a</p>\n<hr>\n<p>b</p>'])
    assert.equal(plainSource(html), undefined)
})
