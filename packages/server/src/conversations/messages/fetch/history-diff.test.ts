import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { htmlDiff } from './history-diff.ts'

const inserted = (text: string) => `<span class="highlight_text_inserted">${text}</span>`
const deleted = (text: string) => `<span class="highlight_text_deleted">${text}</span>`

test('equal texts are not highlighted', () => {
  assert.equal(htmlDiff('<p>hello <b>you</b></p>', '<p>hello <b>you</b></p>'), '<p>hello <b>you</b></p>')
})

test('replaced words are shown next to their replacements', () => {
  assert.equal(
    htmlDiff('<p>we meet at noon today</p>', '<p>we meet at six today</p>'),
    `<p>we meet at ${deleted('noon')}${inserted('six')} today</p>`,
  )
})

test('insertions and deletions at the end are highlighted', () => {
  assert.equal(htmlDiff('<p>one</p>', '<p>one two</p>'), `<p>one${inserted(' two')}</p>`)
  assert.equal(htmlDiff('<p>one two</p>', '<p>one</p>'), `<p>one${deleted(' two')}</p>`)
})

test('tags are those of the new text, and no highlight spans a tag', () => {
  assert.equal(
    htmlDiff('<p>plain</p>', '<p>so <em>very</em> plain</p>'),
    `<p>${inserted('so ')}<em>${inserted('very')}</em> plain</p>`,
  )
  assert.equal(htmlDiff('<p>a <b>c</b></p>', '<p>a c</p>'), '<p>a c</p>')
})

test('texts that have nothing in common do not take longer', () => {
  const words = (letter: string) => `<p>${Array.from({ length: 5000 }, (_, n) => letter + n).join(' ')}</p>`
  const start = process.cpuUsage()
  htmlDiff(words('a'), words('b'))
  assert.ok(process.cpuUsage(start).user < 1_000_000)
})

test('removing highlights and deletions yields the new text', () => {
  const text = fc.array(fc.constantFrom('<p>', '</p>', 'one', 'two', ' ', '&lt;', '<br>'), { maxLength: 12 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const marked = htmlDiff(before.join(''), after.join(''))
      const kept = marked
        .replace(/<span class="highlight_text_deleted">[^<]*<\/span>/g, '')
        .replace(/<span class="highlight_text_inserted">([^<]*)<\/span>/g, '$1')
      assert.equal(kept, after.join(''))
    }),
  )
})
