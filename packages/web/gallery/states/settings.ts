import { everyLook } from '../looks.ts'
import type { Area } from '../state.ts'

/** The own settings, each page once. */
const pages = [
  'profile',
  'account',
  'appearance',
  'notifications',
  'privacy',
  'sessions',
  'bots',
  'muted',
  'alert-words',
  'files',
]

export const settings: Area = {
  name: 'settings',
  states: pages.map((page) => ({
    name: `own-${page}`,
    at: `#settings/${page}`,
    shows: 'main.page h1',
    ...(page === 'notifications' && { looks: everyLook }),
  })),
}
