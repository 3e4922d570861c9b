import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkedIds } from './links.ts'

const ids = linkedIds

test('links to messages are found by name and by URL, each once', () => {
  const near = (id: number) => `#narrow/channel/9-x/topic/a/near/${id}`
  assert.deepEqual(ids(`<p><a class="message-link" href="/${near(4)}">#x &gt; a @ 💬</a></p>`), [4])
  const site = 'https://chat.example'
  const url = (id: number, start = '') => `<a href="${start}${near(id)}">${site}/${near(id)}</a>`
  assert.deepEqual(ids(`<p>${url(5)} ${url(5)} ${url(6)}</p>`), [5, 6])
  assert.deepEqual(ids(url(7, 'https://other.example/')), [])
})

test('the link of a quotation is none of them', () => {
  assert.deepEqual(
    ids('<p>Ann <a href="/#narrow/channel/9-x/topic/a/near/4">said</a>:</p><blockquote>b</blockquote>'),
    [],
  )
})
