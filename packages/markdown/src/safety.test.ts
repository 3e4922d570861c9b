import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import fc from 'fast-check'
import { checkHtml } from './html-checker.ts'
import { fuzz } from './nasty-text.ts'
import { garden, html } from './testing.ts'

// KaTeX complains about characters that it has no measure for.
mock.method(console, 'warn', () => {})

test('random nasty messages give only HTML that we know', () => {
  fuzz(Number(process.env.FUZZ_TEXTS ?? 30_000), 372)
})

const mark = fc.constantFrom(
  ...'* ** ` ``` ~~~ [ ]( ) < > \n \n\n # | $$ : @** #** & " \' \u0002 \u0003 \0 \t'.split(' '),
)
const text = fc.array(fc.oneof(mark, fc.string({ maxLength: 6 }), fc.string({ unit: 'binary', maxLength: 3 })))

test('so do marks among any characters there are', () => {
  const check = (parts: string[]) => checkHtml(html(parts.join(''), { ...garden, translateEmoticons: true }))
  fc.assert(fc.property(text, check), { numRuns: 2000 })
})

test('the checker finds what must not be there', () => {
  const bad = [
    '<p><script>x</script></p>',
    '<p><a href="javascript:x">y</a></p>',
    '<p><a href="java&#115;cript:x">y</a></p>',
    '<p><a href="//evil.example">y</a></p>',
    '<p onclick="x">y</p>',
    '<p><b>y</p></b>',
    '<p><em>y</p></em>',
    '<p><div class="codehilite"></div></p>',
    '<p><a href="/x"><a href="/y">z</a></a></p>',
    '<ul>x</ul>',
    '<p>a < b</p>',
    '<p>a & b</p>',
    '<p><span style="background: url(x)">y</span></p>',
    '<p><img src=x></p>',
    '<p>y',
  ]
  for (const sample of bad) assert.throws(() => checkHtml(sample), assert.AssertionError, sample)
  checkHtml('<p>a &lt; <a href="https://a.com" title="b">c</a><br>\n<em>d</em></p>')
})
