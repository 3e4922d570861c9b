import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UploadedImage } from '../context.ts'
import { render } from '../render.ts'
import { awaitsThumbnail, withThumbnails } from './thumbnails.ts'

const cat: UploadedImage = {
  path_id: '2/ab/k/cat.png',
  content_type: 'image/png',
  width: 800,
  height: 600,
  thumbnail_ready: false,
}
const ready = { ...cat, thumbnail_ready: true }
const realmUrl = 'https://chat.example'
const texts = [
  '[cat](/user_uploads/2/ab/k/cat.png) and more',
  `${realmUrl}/user_uploads/2/ab/k/cat.png`,
  `* one\n* ${realmUrl}/user_uploads/2/ab/k/cat.png`,
]

test('thumbnails that come later give the message that they would have given at once', () => {
  for (const text of texts) {
    const early = render(text, { images: [cat], realmUrl }).html
    const late = render(text, { images: [ready], realmUrl }).html
    assert.equal(awaitsThumbnail(early), true)
    assert.deepEqual(withThumbnails(early, [cat]), { html: early, hasImage: true })
    assert.deepEqual(withThumbnails(early, [ready]), { html: late, hasImage: true })
    assert.equal(awaitsThumbnail(late), false)
  }
})

test('what turns out to be no picture loses its preview but not its link', () => {
  for (const text of texts) {
    const { html, hasImage } = withThumbnails(render(text, { images: [cat], realmUrl }).html, [])
    assert.equal(hasImage, false)
    assert.doesNotMatch(html, /<img|<div/)
    assert.match(html, /<a href="\/?user_uploads\/2\/ab\/k\/cat\.png">/)
  }
})

test('what the author wrote is not taken for a placeholder', () => {
  const { html } = render('`<img class="image-loading-placeholder">` <img class="image-loading-placeholder">')
  assert.equal(awaitsThumbnail(html), false)
  assert.equal(withThumbnails(html, []).html, html)
})
