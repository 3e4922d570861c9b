import type { BrowserContextOptions } from 'playwright-core'

export const looks = ['light', 'dark', 'contrast', '390', '820', '1024', '1920', 'german'] as const
export type Look = (typeof looks)[number]

const desktop = { width: 1360, height: 860 }
const touch = { hasTouch: true, isMobile: true, deviceScaleFactor: 2 }

export const lookOptions: Record<Look, BrowserContextOptions> = {
  light: { viewport: desktop, colorScheme: 'light' },
  dark: { viewport: desktop, colorScheme: 'dark' },
  contrast: { viewport: desktop, colorScheme: 'light', contrast: 'more' },
  390: { viewport: { width: 390, height: 844 }, ...touch },
  820: { viewport: { width: 820, height: 1180 } },
  1024: { viewport: { width: 1024, height: 768 } },
  1920: { viewport: { width: 1920, height: 1080 } },
  german: { viewport: desktop, locale: 'de-DE' },
}

/** For the states that users see most. */
export const everyLook: readonly Look[] = looks
export const onPhone: readonly Look[] = ['390']
