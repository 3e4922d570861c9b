import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UploadedImage } from '../context.ts'
import { render } from '../render.ts'
import { html } from '../testing.ts'

const cat: UploadedImage = {
  path_id: '2/ab/k/cat.png',
  content_type: 'image/png',
  width: 800,
  height: 600,
  thumbnail_ready: true,
}
const image = (url: string) => `<div class="message_inline_image"><a href="${url}"><img src="${url}"></a></div>`
const link = (url: string) => `<a href="${url}">${url}</a>`

test('a picture linked to in a paragraph follows it', () => {
  const url = 'https://a.com/x.png'
  assert.equal(html(`see ${url}\nhere`), `<p>see ${link(url)}<br>\nhere</p>\n${image(url)}`)
})

test('a paragraph that is only the address gives way to the picture', () => {
  assert.equal(html('https://a.com/x.png'), image('https://a.com/x.png'))
})

test('a named link stays, and its text becomes the title', () => {
  const preview = '<a href="https://a.com/x.png" title="cat"><img src="https://a.com/x.png"></a>'
  assert.match(
    html('[cat](https://a.com/x.png)'),
    new RegExp(`>cat</a></p>\\n<div class="message_inline_image">${preview}`),
  )
})

test('in a list the preview joins its item', () => {
  const url = 'https://a.com/x.png'
  assert.equal(html(`* a ${url}\n* b`), `<ul>\n<li>a ${link(url)}${image(url)}</li>\n<li>b</li>\n</ul>`)
})

test('links in quotes have no preview', () => {
  assert.doesNotMatch(html('> https://a.com/x.png'), /<img/)
})

test('each address is previewed once', () => {
  assert.equal(html('https://a.com/x.png a\n\nhttps://a.com/x.png b').match(/<img/g)?.length, 1)
})

test('more than 24 different links have no previews', () => {
  const text = (count: number) => Array.from({ length: count }, (_, index) => `https://a.com/${index}.png`).join(' ')
  assert.equal(html(text(24)).match(/<img/g)?.length, 24)
  assert.equal(html(text(25)).match(/<img/g), null)
})

test('previews can be switched off', () => {
  assert.doesNotMatch(html('https://a.com/x.png', { previews: false }), /<img/)
})

test('external pictures are fetched through the proxy', () => {
  const rendered = html('https://a.com/x.png', { proxyUrl: (url) => `/proxy/${url}` })
  assert.match(rendered, /<a href="https:\/\/a\.com\/x\.png"><img src="\/proxy\/https:\/\/a\.com\/x\.png">/)
})

test('pictures of the realm itself do not take the way through the proxy', () => {
  const context = { realmUrl: 'https://garden.example', proxyUrl: (url: string) => `/proxy/${url}` }
  assert.match(html('https://garden.example/x.png', context), /<img src="https:\/\/garden\.example\/x\.png">/)
  assert.match(html('https://garden.example.org/x.png', context), /<img src="\/proxy\/https:/)
})

test('a page of Wikipedia about a file is previewed by the file', () => {
  const file = 'https://en.wikipedia.org/wiki/Special:FilePath/File:Rose,_red.jpg'
  assert.equal(html('https://en.wikipedia.org/wiki/File:Rose,_red.jpg'), image(file))
})

test('a sound file with a sign before its name is played in place', () => {
  const { html: rendered, uploads } = render('![song](/user_uploads/2/ab/k/a.mp3) now')
  const player = '<audio controls preload="metadata" src="/user_uploads/2/ab/k/a.mp3" title="song"></audio>'
  assert.equal(rendered, `<p>${player} now</p>`)
  assert.deepEqual(uploads, ['2/ab/k/a.mp3'])
})

test('an external sound file is fetched through the proxy and names where it lies', () => {
  const rendered = html('![](http://a.com/x.WAV?y)', { proxyUrl: () => '/proxy/1' })
  const player = '<audio controls data-original-url="http://a.com/x.WAV?y" preload="metadata" src="/proxy/1"></audio>'
  assert.equal(rendered, `<p>${player}</p>`)
})

test('what is no sound file is not played, nor anything in quotes, by a script, or with previews off', () => {
  const song = '![x](https://a.com/x.mp3)'
  for (const text of ['![x](https://a.com/x.ogg)', '![x](javascript:x.mp3)', '![x](mailto:x.mp3)', `> ${song}`])
    assert.doesNotMatch(html(text), /<audio/)
  assert.doesNotMatch(html(song, { previews: false }), /<audio/)
})

test('a video is shown as one', () => {
  const url = 'https://a.com/x.mp4'
  const video = `<video preload="metadata" src="${url}"></video>`
  assert.equal(html(url), `<div class="message_inline_image message_inline_video"><a href="${url}">${video}</a></div>`)
})

test('a YouTube link stays above its picture', () => {
  const rendered = html('https://youtu.be/abc-123')
  assert.match(rendered, /^<p><a.*<\/p>\n<div class="youtube-video message_inline_image"><a data-id="abc-123" href=/)
})

test('an uploaded picture shows its thumbnail', () => {
  const rendered = render('[cat.png](/user_uploads/2/ab/k/cat.png)', { images: [cat] })
  const data = 'data-original-content-type="image/png" data-original-dimensions="800x600"'
  const img = `<img ${data} src="/user_uploads/thumbnail/2/ab/k/cat.png/840x560.webp">`
  assert.ok(rendered.html.includes(`<a href="/user_uploads/2/ab/k/cat.png" title="cat.png">${img}</a>`), rendered.html)
  assert.equal(rendered.hasImage, true)
})

test('an encoded link shows the thumbnail too', () => {
  assert.match(html('[x](/user_uploads/2/ab/k/c%61t.png)', { images: [cat] }), /src="[^"]*\/cat\.png\/840x560\.webp"/)
})

test('until the thumbnail is ready a placeholder is shown', () => {
  const rendered = html('[x](/user_uploads/2/ab/k/cat.png)', { images: [{ ...cat, thumbnail_ready: false }] })
  assert.match(
    rendered,
    /<img class="image-loading-placeholder" data-original-.* src="\/static\/images\/loading\/loader-black\.svg">/,
  )
})

test('a file that is no picture has no preview, whatever its name', () => {
  const rendered = render('[x](/user_uploads/2/ab/k/fake.png)', { images: [] })
  assert.equal(rendered.hasImage, false)
})

test('a page is named for fetching, and previewed at the end once it is known', () => {
  assert.deepEqual(render('https://a.com/page').previewUrls, ['https://a.com/page'])
  const page = { url: 'https://a.com/page', title: 'A', description: 'B', image: 'https://a.com/i.jpg' }
  const rendered = render('https://a.com/page', { pages: [page] })
  const style = 'background-image: url(&quot;https://a.com/i.jpg&quot;)'
  const picture = `<a class="message_embed_image" href="https://a.com/page" style="${style}"></a>`
  const title = '<div class="message_embed_title"><a href="https://a.com/page" title="A">A</a></div>'
  const container = `<div class="data-container">${title}<div class="message_embed_description">B</div></div>`
  assert.ok(rendered.html.endsWith(`<div class="message_embed">${picture}${container}</div>`), rendered.html)
})

test('images stand in the order of the text, whatever kind of link each has', () => {
  const text = 'https://a.com/1.png [b](https://a.com/2.png) https://a.com/3.png'
  const hidden = '***https://a.com/4.png [e](https://a.com/5.png)*** **[f](https://a.com/6.png) https://a.com/7.png !**'
  const shown = Array.from(html(`${text} ${hidden}`).matchAll(/<img src="https:\/\/a\.com\/(\d)/g), ([, name]) => name)
  assert.equal(shown.join(''), '1234567')
})
