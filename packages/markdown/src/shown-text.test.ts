import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownText } from './shown-text.ts'

test('blocks are separated, words inside a line are not', () => {
  assert.equal(
    shownText('<p>one<br>\ntwo &lt;b&gt;</p>\n<ul>\n<li>thr<strong>ee</strong></li>\n</ul>'),
    'one two <b> three',
  )
  assert.equal(shownText('<p>a</p><p>b</p>'), 'a b')
})

test('an emoji is its character, a custom one its name', () => {
  const tada = '<span aria-label="tada" class="emoji emoji-1f389" role="img" title="tada">:tada:</span>'
  const heart = '<span aria-label="heart" class="emoji emoji-2764" role="img" title="heart">:heart:</span>'
  assert.equal(
    shownText(`<p>Done ${tada}${heart}, <span class="user-mention" data-user-id="3">@Ines</span></p>`),
    'Done 🎉❤️, @Ines',
  )
  assert.equal(shownText('<p>A <img alt=":boat:" class="emoji" src="/x.png" title="boat"></p>'), 'A :boat:')
})

test('a formula is what was typed', () => {
  const formula = (tex: string) =>
    `<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi></mrow><annotation encoding="application/x-tex">${tex}</annotation></semantics></math></span><span class="katex-html"><span class="base">x</span></span></span>`
  assert.equal(shownText(`<p>So ${formula('x^2 &lt; 4')} holds</p>`), 'So x^2 < 4 holds')
  assert.equal(shownText(`<p><span class="katex-display">${formula('y')}</span></p>\n<p>end</p>`), 'y end')
})

test('what is hidden in a spoiler is left out', () => {
  const spoiler =
    '<div class="spoiler-block"><div class="spoiler-header"><p>End</p></div><div class="spoiler-content"><div>boat</div></div></div>'
  assert.equal(shownText(`<p>Film</p>${spoiler}<p>after</p>`), 'Film End after')
})

test('an image without words is its title or URL', () => {
  const image = (attributes: string) => `<div class="message_inline_image"><a ${attributes}><img src="/x"></a></div>`
  assert.equal(shownText(image('href="https://example.com/cat.png?a=1&amp;b"')), 'https://example.com/cat.png?a=1&b')
  assert.equal(shownText(image('href="/user_uploads/1/cat.png" title="cat.png"')), 'cat.png')
  assert.equal(shownText(`<p>Look</p>${image('href="https://example.com/cat.png"')}`), 'Look')
})
