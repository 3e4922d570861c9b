import { type ComponentType, lazy } from 'react'
import type { PageEntry } from './model.ts'

export interface Page extends PageEntry {
  Content: ComponentType<PageProps>
}

export interface PageProps {
  /** What follows the page in the hash, such as an id. */
  rest: string
}

/** The viewer's own settings. Each page is loaded when it is opened. */
export const ownPages: readonly Page[] = [
  {
    hash: '#settings/profile',
    title: 'profile.title',
    icon: 'circle-user-round',
    finds: 'profile.finds',
    Content: lazy(() => import('./profile.tsx').then((one) => ({ default: one.ProfilePage }))),
  },
  {
    hash: '#settings/account',
    title: 'account.title',
    icon: 'lock',
    finds: 'account.finds',
    Content: lazy(() => import('./account.tsx').then((one) => ({ default: one.AccountPage }))),
  },
  {
    hash: '#settings/appearance',
    title: 'appearance.title',
    icon: 'sun-moon',
    finds: 'appearance.finds',
    Content: lazy(() => import('./appearance.tsx').then((one) => ({ default: one.AppearancePage }))),
  },
  {
    hash: '#settings/notifications',
    title: 'notices.pageTitle',
    icon: 'bell',
    finds: 'notices.finds',
    Content: lazy(() => import('./notifications.tsx').then((one) => ({ default: one.NotificationsPage }))),
  },
  {
    hash: '#settings/privacy',
    title: 'privacy.title',
    icon: 'eye-off',
    finds: 'privacy.finds',
    Content: lazy(() => import('./privacy.tsx').then((one) => ({ default: one.PrivacyPage }))),
  },
  {
    hash: '#settings/sessions',
    title: 'sessions.title',
    icon: 'monitor-smartphone',
    finds: 'sessions.finds',
    Content: lazy(() => import('./sessions.tsx').then((one) => ({ default: one.SessionsPage }))),
  },
  {
    hash: '#settings/bots',
    title: 'botsAndKeys.title',
    icon: 'bot',
    finds: 'botsAndKeys.finds',
    leastRole: 400,
    Content: lazy(() => import('./bots.tsx').then((one) => ({ default: one.BotsPage }))),
  },
  {
    hash: '#settings/muted',
    title: 'mutedAndFollowed.title',
    icon: 'bell-ring',
    finds: 'mutedAndFollowed.finds',
    Content: lazy(() => import('./muted.tsx').then((one) => ({ default: one.MutedPage }))),
  },
  {
    hash: '#settings/alert-words',
    title: 'alertWords.title',
    icon: 'spell-check',
    finds: 'alertWords.finds',
    Content: lazy(() => import('./alert-words.tsx').then((one) => ({ default: one.AlertWordsPage }))),
  },
]
