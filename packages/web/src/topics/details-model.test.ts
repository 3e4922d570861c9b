import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShownMessage } from '@parley/client/messages/cache'
import { detailsOf } from './details-model.ts'

const message = (id: number, content: string, sender_id = id) => ({ id, content, sender_id }) as ShownMessage
const upload = '<p><a href="/user_uploads/1/x/plan.png">plan &amp; more</a></p>'
const preview = '<div><a href="/user_uploads/1/x/plan.png"><img src="/thumb"></a></div>'

test('people are listed once, the latest first', () => {
  assert.deepEqual(detailsOf([message(1, '', 5), message(2, '', 6), message(3, '', 5)]).people, [5, 6])
})

test('a file with its preview is listed once, under its name', () => {
  for (const content of [upload + preview, preview + upload]) {
    const { files } = detailsOf([message(1, content)])
    assert.deepEqual(
      files.map(({ name, kind }) => [name, kind]),
      [['plan & more', 'image']],
    )
  }
})

test('links elsewhere are links; links inside the client are not listed', () => {
  const content = '<a href="https://example.com/a">An article</a> <a href="#narrow/channel/1">general</a>'
  const { files, links } = detailsOf([message(1, content)])
  assert.deepEqual([files.length, links.map(({ name }) => name)], [0, ['An article']])
})

test('scripts are not listed', () => {
  assert.deepEqual(detailsOf([message(1, '<a href="javascript:alert(1)">x</a>')]).links, [])
})
