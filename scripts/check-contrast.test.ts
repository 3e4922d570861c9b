import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { contrast, findFaintPairs } from './check-contrast.ts'

const css = readFileSync(new URL('../packages/web/src/style/tokens.css', import.meta.url), 'utf8')

test('contrast is what WCAG says', () => {
  assert.equal(contrast('oklch(0 0 0)', 'oklch(1 0 0)').toFixed(1), '21.0')
  // #767676 is the lightest gray that may stand on white.
  assert.equal(contrast('oklch(0.5656 0 0)', 'oklch(1 0 0)').toFixed(1), '4.5')
  // Red on white.
  assert.equal(contrast('oklch(0.62796 0.25768 29.234)', 'oklch(1 0 0)').toFixed(1), '4.0')
})

test('a fainter ink is found in the theme that has it', () => {
  const fainter = css.replace('--ink-3: oklch(0.695', '--ink-3: oklch(0.5')
  assert.ok(findFaintPairs(fainter).some((line) => line.startsWith('dark: ink-3 on canvas')))
  assert.ok(findFaintPairs(fainter).every((line) => line.startsWith('dark: ink-3')))
})
