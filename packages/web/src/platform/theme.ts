/** What the user chose; `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark'
export type Density = 'compact' | 'comfortable' | 'roomy'

export interface Look {
  theme: Theme
  hasMoreContrast: boolean
  /** In pixels; all text is sized relative to it. */
  fontSize: number
  density: Density
}

const darkQuery = matchMedia('(prefers-color-scheme: dark)')
const contrastQuery = matchMedia('(prefers-contrast: more)')
let chosen: Look = { theme: 'system', hasMoreContrast: false, fontSize: 16, density: 'comfortable' }

export function chooseLook(look: Look): void {
  chosen = look
  apply()
}

function apply(): void {
  const isDark = chosen.theme === 'dark' || (chosen.theme === 'system' && darkQuery.matches)
  const { dataset, style } = document.documentElement
  dataset.theme = isDark ? 'dark' : 'light'
  dataset.density = chosen.density
  style.setProperty('--reader', `${chosen.fontSize}px`)
  if (chosen.hasMoreContrast || contrastQuery.matches) dataset.contrast = 'more'
  else delete dataset.contrast
}

/** Follows the system until the user chooses. */
export function startTheme(): void {
  apply()
  for (const query of [darkQuery, contrastQuery]) query.addEventListener('change', apply)
}
