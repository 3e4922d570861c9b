import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../testing.ts'

test('two dollars on each side make a formula', () => {
  const rendered = html('so $$x^2$$.')
  assert.match(rendered, /^<p>so <span class="katex"><span class="katex-mathml"><math xmlns=/)
  assert.match(rendered, /<annotation encoding="application\/x-tex">x\^2<\/annotation>/)
})

test('money, three dollars, words and line breaks are no formula', () => {
  for (const text of ['$5 to $10', '$$$ and $$$$', 'a$$b$$', '$$_a$$']) assert.equal(html(text), `<p>${text}</p>`)
  assert.doesNotMatch(html('$$a\nb$$'), /katex/)
})

test('nothing is marked up inside a formula', () => {
  assert.match(html('$$\\text{**a**}$$'), /<mtext>\*\*a\*\*<\/mtext>/)
})

test('an invalid formula is shown as an error, as typed', () => {
  assert.equal(html('$$\\oops{$$'), '<p><span class="tex-error">$$\\oops{$$</span></p>')
})

test('a math fence is display math, and blank lines separate formulas', () => {
  const rendered = html('```math\na\n\nb\n```')
  assert.match(rendered, /^<p><span class="katex-display">.*display="block".*\n\n<span class="katex-display">/)
})

test('formulas cannot link or load anything', () => {
  assert.doesNotMatch(
    html('$$\\href{javascript:alert(1)}{x}$$ $$\\includegraphics{https://a.example/x.png}$$'),
    /<a |<img/,
  )
})

test('formulas for which there is no time are shown as typed', () => {
  const context = { mayDecorate: () => false }
  assert.equal(html('$$x < y$$', context), '<p><code>$$x &lt; y$$</code></p>')
  assert.equal(html('```math\na\n\nb\n```', context), '<p><code>a</code>\n\n<code>b</code></p>')
})
