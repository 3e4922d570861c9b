import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findReferences } from './references.ts'

test('everything that needs looking up is found', () => {
  const text =
    '@**Ada** @_**Bob|7** @**|8** @**all** @*team* #**a b** #**c>t** #**c>t@5** :parrot: [x](/user_uploads/2/ab/c.png)'
  assert.deepEqual(findReferences(text), {
    userNames: ['Ada'],
    userIds: [7, 8],
    groupNames: ['team'],
    channelNames: ['a b', 'c>t', 'c', 'c>t@5'],
    topics: [
      { channel: 'c', topic: 't' },
      { channel: 'c', topic: 't@5' },
    ],
    emojiNames: ['parrot'],
    uploads: ['2/ab/c.png'],
  })
})

for (const text of ['@**Ada**', '@_*team*', '#**a b**', ':+1:', '/user_uploads/2/ab/c.png'])
  test(`${text} alone is found`, () => {
    assert.equal(Object.values(findReferences(text) ?? {}).flat().length, 1)
  })

test('plain text refers to nothing', () => {
  assert.equal(findReferences('good morning: 2 * 3'), undefined)
})

test('the path of a file is decoded', () => {
  assert.deepEqual(findReferences('/user_uploads/2/ab/%E5%86%99.png')?.uploads, ['2/ab/写.png'])
})

test('the address of a file ends before the punctuation that follows it', () => {
  assert.deepEqual(findReferences('see https://a.com/user_uploads/2/ab/c.png, please')?.uploads, ['2/ab/c.png'])
})

for (const stray of ['#** see ', '`#**` ', '#**\n\n', '@** ', '@* '])
  test(`what follows a stray ${JSON.stringify(stray)} is found`, () => {
    const found = findReferences(`${stray}#**c>t** ${stray}#**a** ${stray}@**Ada** ${stray}@*team*`)
    assert.deepEqual(found?.topics, [{ channel: 'c', topic: 't' }])
    assert.ok(found.channelNames.includes('a'))
    assert.ok(found.userNames.includes('Ada'))
    assert.ok(found.groupNames.includes('team'))
  })
