import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageProblems, pageTexts } from './page-texts.ts'

const source = `
import { html, say } from '../platform/html.ts'
throw new ApiError('Wrong password!')
export const title = say(isNew ? 'Hello {name}' : 'Hello again')`

test('the texts of pages are what say gets, and messages of errors that are translated', () => {
  assert.deepEqual(
    [...pageTexts([source], ['Wrong password!', 'Not in the code'])],
    ['Hello {name}', 'Hello again', 'Wrong password!'],
  )
  assert.equal(pageTexts([`import { say } from './speech.ts'\nsay('Something')`], []).size, 0)
})

test('missing, unused and different texts of pages are found', () => {
  const german = { 'Hello {name}': 'Hallo', Old: 'Alt' }
  assert.deepEqual(pageProblems(new Set(['Hello {name}', 'Bye']), new Map([['de', german]])), [
    'pages, de: “Bye” is missing.',
    'pages, de: “Hello {name}” has other values.',
    'pages, de: “Old” is not used.',
  ])
})
