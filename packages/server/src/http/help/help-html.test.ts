import assert from 'node:assert/strict'
import { test } from 'node:test'
import { helpHtml } from './help-html.ts'

test('the Markdown of the pages becomes HTML', () => {
  for (const [text, html] of [
    ['# A `b` & c', '<h1 id="a-b--c">A <code>b</code> &amp; c</h1>\n'],
    ['one\ntwo **three** [x](mail.md#y)', '<p>one two <strong>three</strong> <a href="/help/mail#y">x</a></p>\n'],
    ['[x](architecture.md) <https://a.test>', '<p>x <a href="https://a.test">https://a.test</a></p>\n'],
    ['## A\n## A', '<h2 id="a">A</h2>\n<h2 id="a-1">A</h2>\n'],
    ['- a\n  b\n- c', '<ul><li>a b</li><li>c</li></ul>\n'],
    ['2. a\n   - b', '<ol start="2"><li>a<ul><li>b</li></ul>\n</li></ol>\n'],
    ['```\n<a>\n```', '<pre><code>&lt;a&gt;</code></pre>\n'],
    [
      '| a | b |\n|---|---|\n| `c` | d |',
      '<table><tr><th>a</th><th>b</th></tr><tr><td><code>c</code></td><td>d</td></tr></table>\n',
    ],
    ['`` `x` ``', '<p><code>`x`</code></p>\n'],
  ] as const)
    assert.equal(helpHtml(text), html)
})
