import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emojiName } from '../emoji-names.ts'
import { plainTitle } from '../plain-title.ts'
import type { Names } from '../source.ts'
import { toMarkup } from './markup.ts'

const names: Names = {
  user: (key) => (['zoe', 'conor.lead'].includes(key) ? `@_**${key}**` : undefined),
  channel: (key) => (key === 'dock/cranes' ? '#**Cranes**' : undefined),
}
const converted = (text: string, place = 'dock/town-square') => toMarkup(text, place, names)

test('mentions and channels are known by name, also before punctuation; code, URLs and emails stay', () => {
  assert.equal(
    converted('@zoe, @Conor.Lead. (@zoe) @nobody ~cranes! ~plans'),
    '@_**zoe**, @_**conor.lead**. (@_**zoe**) @nobody #**Cranes**! ~plans',
  )
  const same =
    '`@zoe` `` a ` @zoe `` a@zoe \\@zoe https://x.example/@zoe ~~cranes~~\n```\n@zoe _x_\n```\n~~~\n@zoe\n~~~'
  assert.equal(converted(same), same)
  assert.equal(converted('~cranes', '@ivan zoe'), '~cranes')
})

test('underscores that emphasize become stars, and others stay', () => {
  assert.equal(
    converted('_a b_ __c__ ___d___, snake_case_word __init__.py'),
    '*a b* **c** ***d***, snake_case_word **init**.py',
  )
  assert.equal(converted('https://x.example/_a_b_ _ no _ `_x_`'), 'https://x.example/_a_b_ _ no _ `_x_`')
})

test('blocks of formulas are those of ours', () => {
  assert.equal(converted('```latex\nx_1\n```\n_y_'), '```math\nx_1\n```\n*y*')
})

test('a long text of signs takes time in proportion to its length', () => {
  for (const sign of ['`', '` ``', '_', '_a', '@', '~', '[', '*'])
    assert.ok(converted(sign.repeat(100_000)).length >= 100_000)
})

test('the title of a thread is its first line without markup, with at most 52 characters', () => {
  assert.equal(plainTitle('\n> ## **Crane** [3](https://x.example) `squeaks`\nmore'), 'Crane 3 squeaks')
  assert.equal([...plainTitle('長'.repeat(60))].length, 52)
  assert.equal(plainTitle('***\n---'), '')
})

test('names of emoji are ours, without skin tones', () => {
  const ours = ['slightly_smiling_face', 'wave_dark_skin_tone', 'flag-dk', 'kr'].map(emojiName)
  assert.deepEqual(ours, ['slight_smile', 'wave', 'flag_denmark', 'flag_south_korea'])
  assert.ok(emojiName('+1') && emojiName('thumbsup') && emojiName('woman-woman-girl-boy'))
  assert.equal(emojiName('anchor_red'), undefined)
})
