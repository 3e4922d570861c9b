import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelSlug, directSlug, encodeHashComponent } from '../inline/links.ts'
import { html } from '../testing.ts'

test('a channel is linked by its exact name', () => {
  const link = '<a class="stream" data-stream-id="9" href="/#narrow/channel/9-garden-club">#garden club</a>'
  assert.equal(html('#**garden club**'), `<p>${link}</p>`)
  assert.equal(html('#**Garden club**'), '<p>#<strong>Garden club</strong></p>')
})

test('a topic with messages is linked through one of them', () => {
  const href = '/#narrow/channel/9-garden-club/topic/roses/with/214'
  const link = `<a class="stream-topic" data-stream-id="9" href="${href}">#garden club &gt; roses</a>`
  assert.equal(html('#**garden club>roses**'), `<p>${link}</p>`)
})

test('a topic without messages is linked by name', () => {
  assert.match(html('#**garden club>new thing**'), /href="\/#narrow\/channel\/9-garden-club\/topic\/new\.20thing">/)
})

test('the empty topic is shown by its name for readers', () => {
  assert.match(html('#**garden club>**'), /topic\/\/with\/215">#garden club &gt; <em>general chat<\/em><\/a>/)
})

test('a message is linked by its ID', () => {
  const href = '/#narrow/channel/9-garden-club/topic/roses/near/214'
  assert.equal(
    html('#**garden club>roses@214**'),
    `<p><a class="message-link" href="${href}">#garden club &gt; roses @ 💬</a></p>`,
  )
})

test('a stray opening does not hide the link or mention after it', () => {
  for (const stray of ['#** ', '@** ', '`#**` ', '#**\n\n'])
    assert.match(
      html(`${stray}#**garden club>roses** ${stray}#**garden club** ${stray}@**Ada Byron**`),
      /stream-topic.*class="stream".*user-mention/s,
      stray,
    )
})

test('parts of an address are encoded with dots', () => {
  assert.equal(encodeHashComponent('a b.(c)/%é'), 'a.20b.2E.28c.29.2F.25.C3.A9')
  assert.equal(channelSlug(3, 'new members'), '3-new-members')
  assert.equal(directSlug([9, 2]), '2,9')
  assert.equal(directSlug([9, 2, 10]), '2,9,10-group')
})

test('other markup in a topic is part of its name', () => {
  assert.match(html('#**garden club>`x`**'), /topic\/\.60x\.60">#garden club &gt; `x`<\/a>/)
})
