import assert from 'node:assert/strict'
import { test } from 'node:test'
import { densityOf, lookOf } from './look.ts'

const get = (settings: Record<string, unknown>) => (name: string) => settings[name]

test('without settings, the look follows the system', () => {
  assert.deepEqual(lookOf(get({})), {
    theme: 'system',
    hasMoreContrast: false,
    fontSize: 16,
    density: 'comfortable',
  })
})

test('the stored scheme, contrast and sizes decide the look', () => {
  const look = lookOf(
    get({ color_scheme: 2, high_contrast_mode: true, web_font_size_px: 18, web_line_height_percent: 122 }),
  )
  assert.deepEqual(look, { theme: 'dark', hasMoreContrast: true, fontSize: 18, density: 'compact' })
})

test('line heights map to the three densities', () => {
  assert.deepEqual([80, 122, 140, 160, 250].map(densityOf), ['compact', 'compact', 'comfortable', 'roomy', 'roomy'])
})
