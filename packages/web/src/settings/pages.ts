import type { ComponentType } from 'react'
import { lazyPart } from '../session/lazy-part.tsx'
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
    Content: lazyPart(() => import('./account/profile.tsx').then((one) => one.ProfilePage)),
  },
  {
    hash: '#settings/account',
    title: 'account.title',
    icon: 'lock',
    finds: 'account.finds',
    Content: lazyPart(() => import('./account/account.tsx').then((one) => one.AccountPage)),
  },
  {
    hash: '#settings/appearance',
    title: 'appearance.title',
    icon: 'sun-moon',
    finds: 'appearance.finds',
    Content: lazyPart(() => import('./appearance.tsx').then((one) => one.AppearancePage)),
  },
  {
    hash: '#settings/notifications',
    title: 'notices.pageTitle',
    icon: 'bell',
    finds: 'notices.finds',
    Content: lazyPart(() => import('./notifications/notifications.tsx').then((one) => one.NotificationsPage)),
  },
  {
    hash: '#settings/privacy',
    title: 'privacy.title',
    icon: 'eye-off',
    finds: 'privacy.finds',
    Content: lazyPart(() => import('./account/privacy.tsx').then((one) => one.PrivacyPage)),
  },
  {
    hash: '#settings/sessions',
    title: 'sessions.title',
    icon: 'monitor-smartphone',
    finds: 'sessions.finds',
    Content: lazyPart(() => import('./account/sessions.tsx').then((one) => one.SessionsPage)),
  },
  {
    hash: '#settings/bots',
    title: 'botsAndKeys.title',
    icon: 'bot',
    finds: 'botsAndKeys.finds',
    leastRole: 400,
    Content: lazyPart(() => import('./bots/bots.tsx').then((one) => one.BotsPage)),
  },
  {
    hash: '#settings/integrations',
    title: 'hooks.title',
    icon: 'activity',
    finds: 'hooks.finds',
    leastRole: 400,
    Content: lazyPart(() => import('./hooks/hooks.tsx').then((one) => one.HooksPage)),
  },
  {
    hash: '#settings/muted',
    title: 'mutedAndFollowed.title',
    icon: 'bell-ring',
    finds: 'mutedAndFollowed.finds',
    Content: lazyPart(() => import('./muted.tsx').then((one) => one.MutedPage)),
  },
  {
    hash: '#settings/alert-words',
    title: 'alertWords.title',
    icon: 'spell-check',
    finds: 'alertWords.finds',
    Content: lazyPart(() => import('./alert-words.tsx').then((one) => one.AlertWordsPage)),
  },
  {
    hash: '#settings/files',
    title: 'files.title',
    icon: 'image',
    finds: 'files.finds',
    Content: lazyPart(() => import('./files.tsx').then((one) => one.FilesPage)),
  },
]
