import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainSource, plainText, speaker } from './plain-text.ts'

test('plain paragraphs are what was typed; anything else is not guessed', () => {
  assert.equal(
    plainSource('<p>one<br>\ntwo &lt;b&gt;</p>\n<p>three &amp;amp; four</p>'),
    'one\ntwo <b>\n\nthree &amp; four',
  )
  for (const html of ['<p><strong>bold</strong></p>', '<ul>\n<li>one</li>\n</ul>', '<p>a</p>\n<hr>\n<p>b</p>'])
    assert.equal(plainSource(html), undefined)
})

test('an action is one sentence with its sender as the subject', () => {
  const sentence = (html: string) => `${speaker('Ines', html)} ${plainText(html)}`
  assert.equal(sentence('<p>/me finds <strong>them</strong></p>'), 'Ines finds them')
  assert.equal(sentence('<p>/mean but true</p>'), 'Ines: /mean but true')
  assert.equal(sentence('<p>so /me said</p>'), 'Ines: so /me said')
})
