import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../testing.ts'
import { codeToNames, emojiCode, emojiName, isBuiltInEmoji } from './emoji.ts'

const span = (name: string, code: string) => {
  const title = name.replaceAll('_', ' ')
  return `<span aria-label="${title}" class="emoji emoji-${code}" role="img" title="${title}">:${name}:</span>`
}

test('a name becomes the emoji, also by an alias', () => {
  assert.equal(html(':tada: :thumbs_up:'), `<p>${span('tada', '1f389')} ${span('thumbs_up', '1f44d')}</p>`)
})

test('unknown names, skin tones and colons in other text stay', () => {
  assert.equal(html(':nosuch: :skin-tone-2: a::b 10:30:00'), '<p>:nosuch: :skin-tone-2: a::b 10:30:00</p>')
})

test('a character becomes the emoji under its canonical name', () => {
  assert.equal(html('🐙'), `<p>${span('octopus', '1f419')}</p>`)
})

test('characters that are text by default need a selector', () => {
  assert.equal(html('↔ 1 ↔\uFE0F'), `<p>↔ 1 ${span('left_right', '2194')}</p>`)
})

test('sequences that are not listed stay text as a whole', () => {
  assert.equal(html('👨🏿‍🦽 👍🏽'), '<p>👨🏿‍🦽 👍🏽</p>')
})

test('a custom emoji is a picture and hides a built-in one', () => {
  const customEmoji = [{ name: 'tada', source_url: '/x.png' }]
  assert.equal(html(':tada:', { customEmoji }), '<p><img alt=":tada:" class="emoji" src="/x.png" title="tada"></p>')
})

test('the extra emoji answers to both of its names', () => {
  const src = '/static/generated/emoji/images/emoji/unicode/zulip.png'
  assert.equal(html(':zulip:'), `<p><img alt=":zulip:" class="emoji" src="${src}" title="zulip"></p>`)
  assert.match(html(':service:'), /zulip\.png/)
})

test('emoticons are translated on request, where they stand alone', () => {
  assert.equal(html(':)'), '<p>:)</p>')
  assert.equal(html(':) a:)', { translateEmoticons: true }), `<p>${span('slight_smile', '1f642')} a:)</p>`)
})

test('each name has one code, and each code knows its names', () => {
  assert.equal(emojiCode('smile'), '1f604')
  assert.equal(emojiName('1f604'), 'smile')
  assert.deepEqual(codeToNames()['1f44d'], ['+1', 'thumbs_up', 'like'])
  const names = Object.values(codeToNames()).flat()
  assert.equal(new Set(names).size, names.length)
})

test('built-in are the Unicode emoji and the extra one', () => {
  assert.deepEqual(['smile', 'zulip', 'service', 'nosuch'].map(isBuiltInEmoji), [true, true, true, false])
})
