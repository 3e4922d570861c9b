// Checks every pair of tokens that carries text or a control, in the four themes of the web client.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Theme = Record<string, string>

const surfaces = ['canvas', 'side', 'raised', 'sunken', 'hover']
const inks = ['ink', 'ink-2', 'ink-3']

function on(texts: string[], grounds: string[]): [text: string, ground: string][] {
  return grounds.flatMap((ground) => texts.map((text): [string, string] => [text, ground]))
}

const textPairs = [
  ...on([...inks, 'accent'], surfaces),
  ...on([...inks, 'accent', 'accent-strong'], ['accent-soft', 'accent-softer']),
  ...on([...inks, 'accent', 'mention-ink'], ['mention']),
  ...on(['on-accent'], ['accent', 'accent-strong']),
  ...on(['on-mention'], ['mention-line']),
  ...on(['danger'], ['canvas', 'raised', 'danger-soft']),
  ...on(['good'], ['canvas', 'good-soft']),
  ...on(['c-key', 'c-str', 'c-num', 'c-fn', 'c-com'], ['sunken']),
]
const controlPairs = [...on(['control', 'focus'], surfaces), ...on(['online'], ['canvas', 'side'])]

/** The colours that the block of a selector sets. */
function readBlock(css: string, selector: string): Theme {
  const start = css.indexOf(`\n  ${selector} {`)
  if (start < 0) throw new Error(`tokens.css has no block ${selector}.`)
  const body = css.slice(start, css.indexOf('\n  }', start))
  return Object.fromEntries(
    [...body.matchAll(/--([\w-]+): (oklch\([^/;]+\));/g)].map(([, name, value]) => [name!, value!]),
  )
}

function readThemes(css: string): Record<string, Theme> {
  const [light, dark, more, darkMore] = [
    ':root',
    '[data-theme="dark"]',
    '[data-contrast="more"]',
    '[data-theme="dark"][data-contrast="more"]',
  ].map((selector) => readBlock(css, selector)) as [Theme, Theme, Theme, Theme]
  return {
    light,
    dark: { ...light, ...dark },
    'light, more contrast': { ...light, ...more },
    'dark, more contrast': { ...light, ...dark, ...more, ...darkMore },
  }
}

/** Relative luminance as WCAG defines it, of a colour such as `oklch(0.5 0.1 230)`, clipped to what sRGB can show. */
export function luminance(colour: string): number {
  const [lightness, chroma, hue] = colour.match(/[\d.]+/g)!.map(Number) as [number, number, number]
  const angle = (hue * Math.PI) / 180
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const clip = (value: number) => Math.min(1, Math.max(0, value))
  const red = clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)
  const green = clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)
  const blue = clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** One line for each pair with too little contrast. */
export function findFaintPairs(css: string): string[] {
  return Object.entries(readThemes(css)).flatMap(([name, theme]) => {
    const [leastText, leastControl] = name.includes('more') ? [7, 4.5] : [4.5, 3]
    const check = (pairs: [string, string][], least: number) =>
      pairs
        .map(([front, ground]) => ({ front, ground, ratio: contrast(theme[front]!, theme[ground]!) }))
        .filter(({ ratio }) => ratio < least)
        .map(({ front, ground, ratio }) => `${name}: ${front} on ${ground} has ${ratio.toFixed(2)}, needs ${least}`)
    return [...check(textPairs, leastText), ...check(controlPairs, leastControl)]
  })
}

if (import.meta.main) {
  const css = readFileSync(join(import.meta.dirname, '../packages/web/src/style/tokens.css'), 'utf8')
  const faint = findFaintPairs(css)
  for (const line of faint) console.error(line)
  if (faint.length > 0) process.exitCode = 1
}
