import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageProblems, literalTexts, physicalStyles } from './check-texts.ts'

const english = { 'a.b': 'Hello {name}', 'a.c': 'Bye' }
const problemsWith = (german: Record<string, string>, used = ['a.b', 'a.c']) =>
  languageProblems(
    new Map<string, Record<string, string>>([
      ['en', english],
      ['de', german],
    ]),
    new Set(used),
  )

test('a complete language has no problems', () => {
  assert.deepEqual(problemsWith({ 'a.b': '{name}, hallo', 'a.c': 'Tschüss' }), [])
})

test('missing, unknown and unused texts are found', () => {
  assert.deepEqual(problemsWith({ 'a.b': 'Hallo {name}', 'a.d': 'Neu' }, ['a.b']), [
    'en: a.c is not used.',
    'de: a.c is missing.',
    'de: a.d does not exist in English.',
  ])
})

test('translations have the values of the English text', () => {
  assert.deepEqual(problemsWith({ 'a.b': 'Hallo {nmae}', 'a.c': 'Tschüss' }), [
    'de: a.b has the values nmae (text), in English name (text).',
  ])
})

test('texts in components are found, wherever they are shown', () => {
  const code = `const a = <p title="A title">Some text {busy ? 'on' : 'off now'} <b aria-label={t('a.b')}>{\`Ready for \${x}\`}</b></p>
    act(work, 'It is done.')`
  const found = literalTexts('a.tsx', code).map((line) => /“`?([\w .]*\w)/.exec(line)![1])
  assert.deepEqual(found, ['A title', 'Some text', 'on', 'off now', 'Ready for', 'It is done'])
})

test('keys, classes and examples are not texts', () => {
  const code = `const a = <kbd className="Big box" onKeyDown={() => press('Enter')} placeholder="https://">K</kbd>`
  assert.deepEqual(literalTexts('a.tsx', code), [])
})

test('styles that name a side are found', () => {
  const css = ['margin-left: 2px;', 'left: 0;', 'text-align: right;', 'padding: 1px 2px 1px 3px;'].join('\n')
  assert.equal(physicalStyles('a.css', css).length, 4)
  assert.deepEqual(physicalStyles('a.css', 'margin-inline: 1px 2px;\npadding: 1px 2px 3px 2px;\n--left: 1;'), [])
})
