/** What the user chose; `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark'

const darkQuery = matchMedia('(prefers-color-scheme: dark)')
const contrastQuery = matchMedia('(prefers-contrast: more)')
let chosen: Theme = 'system'

export function chooseTheme(theme: Theme): void {
  chosen = theme
  apply()
}

function apply(): void {
  const isDark = chosen === 'dark' || (chosen === 'system' && darkQuery.matches)
  const { dataset } = document.documentElement
  dataset.theme = isDark ? 'dark' : 'light'
  if (contrastQuery.matches) dataset.contrast = 'more'
  else delete dataset.contrast
}

/** Follows the system until the user chooses. */
export function startTheme(): void {
  apply()
  for (const query of [darkQuery, contrastQuery]) query.addEventListener('change', apply)
}
