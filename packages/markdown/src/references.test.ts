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

test('plain text refers to nothing', () => {
  assert.deepEqual(Object.values(findReferences('good morning')).flat(), [])
})

test('the address of a file ends before the punctuation that follows it', () => {
  assert.deepEqual(findReferences('see https://a.com/user_uploads/2/ab/c.png, please').uploads, ['2/ab/c.png'])
})
