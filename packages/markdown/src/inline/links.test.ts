import assert from 'node:assert/strict'
import { test } from 'node:test'
import { topicLinks } from '../references/topic-links.ts'
import { expandTemplate } from '../references/uri-template.ts'
import { render } from '../render.ts'
import { garden, html } from '../testing.ts'

const p = (inner: string) => `<p>${inner}</p>`
const a = (href: string, text = href) => `<a href="${href}">${text}</a>`

test('a named link shows its text literally', () => {
  assert.equal(html('[*a* b](https://a.example/x)'), p(a('https://a.example/x', '*a* b')))
})

test('a link in the text of another is shown as it was written', () => {
  assert.equal(html('[see #**garden club**](https://a.com)'), p(a('https://a.com', 'see #**garden club**')))
})

test('a named link without text shows its address', () => {
  assert.equal(html('[](https://a.example)'), p(a('https://a.example')))
})

test('brackets and parentheses in a named link nest', () => {
  assert.equal(html('[a [b]](https://a.example/(c))'), p(a('https://a.example/(c)', 'a [b]')))
})

test('addresses without scheme, and mailboxes, are completed', () => {
  assert.equal(
    html('[a](b.example) [c](d@e.example)'),
    p(`${a('http://b.example', 'a')} ${a('mailto:d@e.example', 'c')}`),
  )
})

test('only known schemes become links', () => {
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd']) {
    assert.doesNotMatch(html(`[a](${url})`), /<a/)
  }
  assert.match(html('[a](tel:123)'), /href="tel:123"/)
})

test('white space and control characters cannot hide a scheme', () => {
  assert.doesNotMatch(html('[a](java\nscript:alert(1)) [b](\u0001javascript:alert(1))'), /href="[^"]*script/)
})

test('links into the realm become relative', () => {
  const { html: rendered, uploads } = render(
    '[a](https://garden.example/#narrow/dm/1) [b](https://garden.example/user_uploads/2/ab/c.txt) [d](/user_uploads/2/e.txt)',
    garden,
  )
  assert.equal(
    rendered,
    p(`${a('#narrow/dm/1', 'a')} ${a('user_uploads/2/ab/c.txt', 'b')} ${a('/user_uploads/2/e.txt', 'd')}`),
  )
  assert.deepEqual(uploads, ['2/ab/c.txt', '2/e.txt'])
})

test('bare addresses are linked without the punctuation around them', () => {
  assert.equal(html('(see https://a.com/b_(c)), ok?'), p(`(see ${a('https://a.com/b_(c)')}), ok?`))
  assert.equal(html('"a.com/x".'), p(`"${a('http://a.com/x', 'a.com/x')}".`))
})

test('an address needs a known ending or a scheme', () => {
  assert.equal(html('notes.md main.py a.nosuchending done.So'), p('notes.md main.py a.nosuchending done.So'))
  assert.equal(html('http://localhost:9991/x'), p(a('http://localhost:9991/x')))
})

test('an address may follow a script without spaces', () => {
  assert.equal(html('你好https://a.com'), p(`你好${a('https://a.com')}`))
})

test('mailboxes are linked', () => {
  assert.equal(html('<ann@a.com>'), p(`&lt;${a('mailto:ann@a.com', 'ann@a.com')}&gt;`))
})

test('a message knows whether it holds links', () => {
  assert.equal(render('a.com').hasLink, true)
  assert.equal(render('`a.com`').hasLink, false)
})

test('linkifiers apply between words, one after the other', () => {
  assert.equal(
    html('#1 #2, x#3 #4a'),
    p(`${a('https://t.example/1', '#1')} ${a('https://t.example/2', '#2')}, x#3 #4a`),
  )
})

test('a linkifier that is not valid is ignored', () => {
  assert.equal(html('#1', { linkifiers: [{ pattern: '(', url_template: 'https://x.example' }] }), p('#1'))
})

test('a linkifier cannot make a link that an author could not', () => {
  const linkifiers = [{ pattern: 'x(?P<y>.+)', url_template: '{+y}' }]
  assert.doesNotMatch(html('xjavascript:alert(1)', { linkifiers }), /<a/)
})

test('topics offer linkifiers and addresses in the order of the text', () => {
  assert.deepEqual(topicLinks('a.com and #7', garden.linkifiers), [
    { text: 'a.com', url: 'https://a.com' },
    { text: '#7', url: 'https://t.example/7' },
  ])
})

test('templates follow RFC 6570', () => {
  const values = { path: '/a b', q: 'x&y' }
  assert.equal(
    expandTemplate('{path}|{+path}|{#path}|{?q,none}|{&q}|{path:2}', values),
    '%2Fa%20b%7C/a%20b%7C#/a%20b%7C?q=x%26y%7C&q=x%26y%7C%2Fa',
  )
  assert.equal(expandTemplate('https://t.example/%20/%%%ba/{q}', { q: '1' }), 'https://t.example/%20/%25%25%ba/1')
})

test('a link that downloads a file refers to that file', () => {
  const text = '[a](/user_uploads/download/2/ab/c.txt) https://garden.example/user_uploads/download/2/d%C3%A9.txt'
  assert.deepEqual(render(text, garden).uploads, ['2/ab/c.txt', '2/dé.txt'])
})
