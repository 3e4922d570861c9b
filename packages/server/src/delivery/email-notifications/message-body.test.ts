import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render } from '@parley/markdown/render'
import { assertCheap } from '../../testing/load/cpu-time.ts'
import { messageBody } from './message-body.ts'

const reading = { url: 'https://chat.example.com', timeZone: 'Europe/Berlin' }

function bodyOf(markdown: string) {
  return messageBody(render(markdown).html, reading)
}

test('text keeps paragraphs, lists, quotes and code', () => {
  const { text } = bodyOf('one\ntwo\n\n* a\n* b\n\n```quote\nsaid\n```\n\n```\n  x < 1\n\ny\n```')
  assert.equal(text, 'one\ntwo\n\n- a\n- b\n\n> said\n\n  x < 1\n\ny')
})

test('tables and numbered lists stay readable', () => {
  const { text } = bodyOf('3. c\n4. d\n\n| a | b |\n| - | - |\n| 1 | 2 |')
  assert.equal(text, '3. c\n4. d\n\na | b\n1 | 2')
})

test('links are absolute, in both forms', () => {
  const { text, html } = messageBody(
    '<p><a href="/#narrow/channel/3-x">#x</a> <a href="user_uploads/1/a.txt">a</a></p>',
    reading,
  )
  assert.equal(
    text,
    '#x (https://chat.example.com/#narrow/channel/3-x) a (https://chat.example.com/user_uploads/1/a.txt)',
  )
  assert.match(html, /<a href="https:\/\/chat\.example\.com\/#narrow\/channel\/3-x">#x<\/a>/)
})

test('spoilers stay hidden', () => {
  const { text, html } = bodyOf('```spoiler The **end**\nthe butler\n```')
  assert.match(text, /The end/)
  for (const form of [text, html]) assert.ok(!form.includes('butler') && form.includes('(hidden'))
})

test('images, videos and sounds become links, and nothing is loaded', () => {
  const files = ['https://example.com/cat.png', 'https://example.com/cat.mp4', '![song](https://example.com/song.mp3)']
  for (const file of files) {
    const { html } = bodyOf(file)
    assert.match(html, /<a href="https:\/\/example\.com\/(cat|song)\.\w+">/)
    assert.ok(!/<(img|video|audio)|src=/.test(html), html)
  }
  const twice = bodyOf('[cat](https://example.com/cat.png)').html
  assert.equal(twice.match(/<a /g)!.length, 1)
})

test('emoji, formulas, mentions and times are text', () => {
  assert.equal(bodyOf(':tada: $$x^2$$').text, '🎉 x^2')
  assert.equal(bodyOf('<time:2026-11-17T12:00:00Z>').text, 'Tuesday, November 17, 2026 at 1:00 PM (Europe/Berlin)')
  const mention = '<p><span class="user-mention" data-user-id="1">@Ann</span></p>'
  assert.equal(messageBody(mention, reading).html, '<p><b>@Ann</b></p>')
})

test('only known elements pass, whatever the message contains', () => {
  const hostile = [
    '<script>alert(1)</script>x',
    '<p onclick="alert(1)" style="position:fixed">x</p>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="data:text/html,<script>">x</a>',
    '<img src="https://tracker.example.com/x.gif" onerror="alert(1)">',
    '<iframe src="https://evil.example.com"></iframe>',
    '<svg><script>alert(1)</script></svg>',
    '<style>body{display:none}</style>',
    '<form action="https://evil.example.com"><input name="password"></form>',
    '<p <b>x</p>',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '&#60;script&#62;',
    '<!--<script>alert(1)</script>-->',
    '<a href="https://x.example.com/&quot;onmouseover=&quot;alert(1)">x</a>',
  ]
  for (const source of hostile) {
    const { html } = messageBody(source, reading)
    const tags = html.match(/<[^>]*>/g) ?? []
    for (const tag of tags) assert.match(tag, /^<\/?(p|b|a)( href="https:[^"<>]*")?>$/, `${source} → ${html}`)
    assert.ok(!html.includes('<script'), html)
  }
})

test('very deep nesting does not exhaust the stack', () => {
  const { html } = messageBody(`${'<blockquote>'.repeat(20_000)}x${'</blockquote>'.repeat(20_000)}`, reading)
  assert.ok(html.includes('x'))
})

test('a text full of spaces costs no more than another', () =>
  assertCheap(
    () => messageBody(`<p>${'<span> </span>'.repeat(40_000)}x</p>`, reading),
    () => messageBody('<p>short</p>', reading),
  ))
