import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordingProblems } from './check-language.ts'

const asText = (text: string) =>
  wordingProblems('packages/web/src/texts/en.json', `  "some.id": ${JSON.stringify(text)},`)

test('archaic wording is refused in every file, with its line', () => {
  assert.deepEqual(wordingProblems('docs/a.md', 'Fine.\nWhoever comes.'), ['docs/a.md:2: "Whoever": write users who …'])
})

test('awkward syntax is refused in the texts of the web client', () => {
  const awkward = [
    'Follow by itself',
    'Topic as its channel.',
    'If only emails of our domains may join, these are meant.',
    'Also private data',
    'Only those who administer this channel can change this.',
    'That others type',
    'Of people who sign in with a password.',
    'What uses this token stops working immediately.',
    'Pass these links on.',
    'Look whether this arrived.',
    'It is sent again',
    'You have this word already.',
  ]
  for (const text of awkward) assert.equal(asText(text).length, 1, text)
})

test('plain texts are accepted, and so is the same wording in code', () => {
  for (const text of [
    'Follow automatically',
    'What is it for?',
    'That is everything.',
    'Same as the channel',
    'Already sent',
  ])
    assert.deepEqual(asText(text), [], text)
  assert.deepEqual(wordingProblems('packages/a.ts', '// The page opens by itself.'), [])
})

test('words that find a page of the settings are not sentences', () => {
  assert.deepEqual(wordingProblems('packages/web/src/texts/en.json', '  "a.finds": "also those who",'), [])
})
