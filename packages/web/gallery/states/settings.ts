import { everyLook } from '../looks.ts'
import type { Area } from '../state.ts'
import { click, run, see } from '../steps.ts'

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
  states: [
    ...pages.map((page) => ({
      name: `own-${page}`,
      at: `#settings/${page}`,
      shows: 'main.page h1',
      ...(page === 'notifications' && { looks: everyLook }),
    })),
    {
      name: 'notifications-end',
      at: '#settings/notifications',
      steps: [see('main.page h1'), run((page) => page.locator('main.page .card').last().scrollIntoViewIfNeeded())],
      shows: 'main.page .card',
      looks: ['light', 'dark', '390'],
    },
    {
      name: 'integrations',
      at: '#settings/integrations',
      as: 'owner',
      shows: 'main :text("GitHub")',
      looks: ['light', 'dark', '390'],
    },
    {
      name: 'integration-add',
      at: '#settings/integrations',
      as: 'owner',
      steps: [click('main :text-is("GitHub")')],
      shows: 'main form',
    },
    {
      name: 'integration',
      at: '#settings/integrations/{hook github}',
      as: 'owner',
      shows: 'main .card:has-text("Harbour on GitHub") input',
      looks: ['light', 'dark', '390'],
    },
  ],
}
