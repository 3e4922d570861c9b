import type { Session } from '@parley/client/session/session'
import { t } from '../platform/i18n.ts'
import { act } from '../session/act.ts'

/** The theme that is not shown now, as a choice. */
export function otherTheme(): string {
  return document.documentElement.dataset.theme === 'dark' ? t('theme.toLight') : t('theme.toDark')
}

const schemes = { dark: 2, light: 3 } as const

/** Dark instead of light, and back; until then it may have followed the system. */
export function switchTheme({ client, store }: Session): void {
  const before = store!.preferences.get('color_scheme')!
  const put = (color_scheme: 1 | 2 | 3) => client.call('updateSettings', { color_scheme })
  const other = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'
  void act(put(schemes[other]), t('saving.saved'), () => void act(put(before)))
}

/** The guides that the server shows, in another tab. */
export function openHelp(): void {
  window.open('/help', '_blank', 'noopener')
}
