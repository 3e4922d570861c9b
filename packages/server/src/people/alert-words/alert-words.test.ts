import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMessages } from '@parley/api/conversations/messages'
import * as api from '@parley/api/people/alert-words'
import { AlertWords } from '../../conversations/messages/model/alert-words.ts'
import { inChannel } from '../../testing/channels.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld } from '../../testing/world.ts'

test('words are kept as they were first written, without blanks and doubles', async () => {
  const { ann, ben } = await newWorld()
  assert.deepEqual((await ann.does(api.getAlertWords)).alert_words, [])
  await ann.registers()
  await ann.does(api.addAlertWords, { alert_words: [' Tea ', 'two words', '', '  '] })
  const { alert_words } = await ann.does(api.addAlertWords, { alert_words: ['TEA', 'coffee', 'Coffee'] })
  assert.deepEqual(alert_words, ['Tea', 'two words', 'coffee'])
  assert.deepEqual((await ann.does(api.removeAlertWords, { alert_words: ['tea', 'unknown'] })).alert_words, [
    'two words',
    'coffee',
  ])
  assert.deepEqual((await ann.does(api.removeAlertWords, { alert_words: ['unknown'] })).alert_words.length, 2)
  assert.deepEqual(
    (await ann.receives('alert_words')).map((event) => event.alert_words.length),
    [2, 3, 2],
  )
  assert.deepEqual((await ben.does(api.getAlertWords)).alert_words, [])
})

test('words that are too long, or no list of words, are refused', async () => {
  const { ann } = await newWorld()
  for (const alert_words of [['x'.repeat(101)], 'tea', [1], { a: 1 }])
    assert.equal((await ann.isRefused(api.addAlertWords, { alert_words })).code, 'BAD_REQUEST')
  assert.equal((await ann.isRefused(api.addAlertWords)).code, 'REQUEST_VARIABLE_MISSING')
})

test('a message with an alert word is flagged for recipients who have that alert word', async () => {
  const { ann, ben, mona } = await newWorld()
  await inChannel('verona', [ann, ben])
  for (const one of [ann, mona]) await one.does(api.addAlertWords, { alert_words: ['tea'] })
  await ann.registers()
  const id = await ben.sends({ channel: 'verona', content: 'Is there TEA?' })
  await ben.sends({ channel: 'verona', content: 'no steam' })
  await ben.sends({ to: [ann], content: 'tea for two' })
  assert.deepEqual(
    (await ann.receives('message')).map(({ flags }) => flags),
    [['has_alert_word'], [], ['has_alert_word']],
  )
  const narrow = [{ operator: 'is', operand: 'alerted' }]
  const found = await ann.does(getMessages, { anchor: 'newest', num_before: 9, num_after: 0, narrow } as never)
  assert.equal(found.messages[0]?.id, id)
  assert.equal(found.messages.length, 2)
  const others = await mona.does(getMessages, { anchor: 'newest', num_before: 9, num_after: 0, narrow } as never)
  assert.equal(others.messages.length, 0)
})

test('a word that was taken back alerts no longer', async () => {
  const { ann, ben } = await newWorld()
  await ann.does(api.addAlertWords, { alert_words: ['tea'] })
  await ben.sends({ to: [ann], content: 'tea' })
  await ann.does(api.removeAlertWords, { alert_words: ['tea'] })
  await ann.registers()
  await ben.sends({ to: [ann], content: 'tea' })
  assert.deepEqual((await ann.receives('message'))[0]?.flags, [])
})

test('a word is found where it stands by itself, whatever it consists of', () => {
  const found = (text: string, content: string) =>
    new AlertWords([{ text, userIds: [1] }]).alertedBy(content).length > 0
  const cases: [string, string, boolean][] = [
    ['tea', 'tea', true],
    ['tea', '**Tea**!', true],
    ['tea', 'teas', false],
    ['tea', 'steam tea', true],
    ['c++', 'I like C++.', true],
    ['c++', 'c+', false],
    ['#12', 'see #12 now', true],
    ['#12', 'see #123', false],
    ['two words', 'two  words', false],
    ['two words', 'in two words:', true],
    ['größe', 'GRÖSSE', false],
    ['größe', 'Größe', true],
    ['☕', 'a ☕ please', true],
    ['a.b', 'a.b.c', true],
    ['日本', '日本 is', true],
    ['tea', 'tea-time', false],
    ['tea', 'green-tea', false],
    ['tea', 'a 𝒙‑tea', false],
    ['green-tea', 'some green-tea', true],
    ['tea', '- tea - or --tea', true],
    ['tea', "tea's ready", true],
  ]
  for (const [word, content, expected] of cases) assert.equal(found(word, content), expected, `${word} in ${content}`)
})

test('a word counts in text, quotes, spoilers and inline code, not in code, formulas, URLs and emails', () => {
  const words = new AlertWords([{ text: 'tea', userIds: [1] }])
  const counts = [
    '`tea`',
    '> tea',
    '```quote\ntea\n```',
    '```spoiler Tea\nx\n```',
    '```spoiler\ntea\n```',
    '[tea](https://a.test)',
    '```\nx\n```\ntea',
    'https://a.test/x tea',
    'a $$x$$ tea $$y$$',
    '@**tea**',
  ]
  for (const text of counts) assert.deepEqual(words.alertedBy(text), [1], text)
  const doesNotCount = [
    '```\ntea\n```',
    '~~~ python\ntea\n~~~',
    '```quote\n~~~ python\ntea\n~~~\n```',
    '```math\ntea\n```',
    'so $$\\frac tea b$$.',
    'https://a.test/tea',
    'see (http://tea.test/x), please',
    'tea.com',
    'ssh://host/tea/x',
    '[x](https://a.test/x/tea.txt)',
    '[x](/user_uploads/2/ab/tea.txt)',
    'ann@tea.example',
    'tea@a.example',
  ]
  for (const text of doesNotCount) assert.deepEqual(words.alertedBy(text), [], text)
  assert.deepEqual(words.alertedBy('```\ntea\n```', 'quote'), [1])
})

test('state after events equals a new state: alert words', async () => {
  const { ann, ben } = await newWorld()
  await verifyEvents([ann, ben], async () => {
    await ann.does(api.addAlertWords, { alert_words: ['tea', 'coffee'] })
    await ben.sends({ to: [ann], content: 'tea' })
    await ann.does(api.removeAlertWords, { alert_words: ['coffee'] })
  })
})
