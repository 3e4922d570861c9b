import type { OwnSettings } from '@parley/client/store/preferences'
import type { Density, Look, Theme } from '../platform/theme.ts'

const themes = new Map<unknown, Theme>([
  [2, 'dark'],
  [3, 'light'],
])

/** How the client looks, from the viewer's settings. They are kept with the account. */
export function lookOf(get: (setting: keyof OwnSettings) => unknown): Look {
  return {
    theme: themes.get(get('color_scheme')) ?? 'system',
    hasMoreContrast: get('high_contrast_mode') === true,
    fontSize: Number(get('web_font_size_px') ?? 16),
    density: densityOf(Number(get('web_line_height_percent') ?? 140)),
  }
}

/** Density is stored as a line height, which other clients understand too. */
export function densityOf(lineHeight: number): Density {
  if (lineHeight < 130) return 'compact'
  return lineHeight < 150 ? 'comfortable' : 'roomy'
}
